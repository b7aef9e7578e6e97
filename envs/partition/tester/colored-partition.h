// SPDX-License-Identifier: GPL-2.0-only

#ifndef COLORED_PARTITION_H
#define COLORED_PARTITION_H

#include "painter.h"
#include "set-partitions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @param blocks Texts without quotation marks.
 * @return the blocks, as JSON without spaces
 */
std::string ToJson(const std::vector<std::vector<std::string>>& blocks);

/**
 * @brief The replicas in each block of the network, and their colours.
 *
 * Replicas are numbered from 1. Stopped replicas are in no block. A *slot* is a position in the
 * order of replicas by (active first, hash of the colour, number). A tester's observations and
 * actions use slots, so that the numbers of replicas do not matter.
 */
class ColoredPartition
{
  public:
    static constexpr int32_t STOPPED = -1; //!< Block of stopped replicas

    /**
     * @param replicas Number of replicas; all are in one block.
     */
    explicit ColoredPartition(uint32_t replicas);

    /**
     * Divide the running replicas.
     *
     * @param blocks The block of each slot; ignored for stopped replicas.
     * @param drawn Numbers of replicas in the slots; see Draw().
     */
    void Divide(const SetPartitions::Blocks& blocks, const std::vector<uint32_t>& drawn);

    /**
     * Remove a replica from its block.
     *
     * @param id Number of the replica.
     * @param passing Whether messages from and to it pass in its last block until the next
     * division.
     */
    void Stop(uint32_t id, bool passing);
    void Start(uint32_t id); //!< @param id replica that gets its own block
    void Unite();            //!< Merge all replicas into one block; all run

    /**
     * Update and order all replicas.
     *
     * @param painter Painter of the replicas.
     * @param states States of all replicas.
     */
    void Paint(const Painter& painter, const std::vector<ReplicaState>& states);

    /**
     * @param one Number of a replica.
     * @param other Number of another replica.
     * @return whether messages pass between them
     */
    bool AreTogether(uint32_t one, uint32_t other) const
    {
        return GetReach(one) != STOPPED && GetReach(one) == GetReach(other);
    }

    /// @return the replica in each slot
    const std::vector<uint32_t>& GetSlots() const
    {
        return m_slots;
    }

    /// @param slot a slot @return its colour
    const Color& GetColorAt(uint32_t slot) const
    {
        return m_colors[m_slots.at(slot) - 1];
    }

    /// @param slot a slot @return whether it runs
    bool IsActiveAt(uint32_t slot) const
    {
        return m_blocks[m_slots.at(slot) - 1] != STOPPED;
    }

    /// @param slot a slot @return whether it is Byzantine
    bool IsByzantineAt(uint32_t slot) const
    {
        return m_byzantine[m_slots.at(slot) - 1];
    }

    /// @param slot a slot @return whether messages for its replica are delayed
    bool IsDelayedAt(uint32_t slot) const
    {
        return m_delayed[m_slots.at(slot) - 1];
    }

    /// @param id number of a replica @return whether it runs
    bool IsActive(uint32_t id) const
    {
        return m_blocks[id - 1] != STOPPED;
    }

    bool IsOne() const;           //!< @return whether all replicas run and are in one block
    uint32_t CountActive() const; //!< @return number of running replicas

    /**
     * @param slot A slot.
     * @return whether no earlier slot has its colour
     */
    bool IsFirstOfColor(uint32_t slot) const;

    /**
     * Assign replicas to slots: replicas of one colour are in a random order.
     *
     * @param key Key of the order.
     * @return the number of the replica for each slot
     */
    std::vector<uint32_t> Draw(const std::string& key) const;

    /**
     * @param id Number of a replica.
     * @return the numbers of running replicas whose messages do not reach it
     */
    std::vector<uint32_t> FindApart(uint32_t id) const;

    /**
     * @return a number for the colour of each running slot, equal numbers side by side
     */
    SetPartitions::Blocks GetActiveColors() const;

    /**
     * @return the block of each slot, numbered in the order of slots; stopped replicas have the
     * last number
     */
    std::vector<uint32_t> GetBlocks() const;

    /**
     * @return the block of each replica, by its number, or STOPPED
     */
    const std::vector<int32_t>& GetBlocksOfReplicas() const
    {
        return m_blocks;
    }

    /**
     * @return colours of each block, as JSON; equal for indistinguishable partitions
     */
    std::string GetText() const;

  private:
    /**
     * @param id Number of a replica.
     * @return the block in which its messages pass
     */
    int32_t GetReach(uint32_t id) const
    {
        return IsActive(id) ? m_blocks[id - 1] : m_last[id - 1];
    }

    std::vector<int32_t> m_blocks; //!< Block of each replica, or STOPPED
    std::vector<int32_t> m_last;   //!< Last block of each stopped replica, or STOPPED
    std::vector<Color> m_colors;   //!< Colour of each replica
    std::vector<bool> m_byzantine; //!< Whether each replica is
    std::vector<bool> m_delayed;   //!< Whether messages for each replica are delayed
    std::vector<uint32_t> m_slots; //!< Number of the replica in each slot
};

} // namespace ns3

#endif // COLORED_PARTITION_H
