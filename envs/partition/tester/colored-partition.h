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
 * @return them, as JSON without spaces
 */
std::string ToJson(const std::vector<std::vector<std::string>>& blocks);

/**
 * @brief The replicas in each block of the network, and their colours.
 *
 * Replicas are numbered from 1 on. Stopped ones are in no block. A *slot* is a place in the order
 * of replicas by (active first, hash of the colour, number). A tester's observations and actions
 * are by slots, so that the numbers of replicas do not matter.
 */
class ColoredPartition
{
  public:
    static constexpr int32_t STOPPED = -1; //!< Block of stopped replicas

    /**
     * @param replicas How many; all are in one block.
     */
    explicit ColoredPartition(uint32_t replicas);

    /**
     * Divide the replicas that run.
     *
     * @param blocks The block of each slot; stopped replicas do not heed it.
     * @param drawn Numbers of replicas in the slots; see Draw().
     */
    void Divide(const SetPartitions::Blocks& blocks, const std::vector<uint32_t>& drawn);

    void Stop(uint32_t id);  //!< @param id number of a replica that leaves its block
    void Start(uint32_t id); //!< @param id number of a replica that gets its own block
    void Unite();            //!< Put all replicas into one block; all run

    /**
     * Look at all replicas anew, and put them in order.
     *
     * @param painter Says what is seen of them.
     * @param states States of all replicas.
     */
    void Paint(const Painter& painter, const std::vector<ReplicaState>& states);

    /**
     * @param one Number of a replica.
     * @param other Number of another one.
     * @return whether messages pass between them
     */
    bool AreTogether(uint32_t one, uint32_t other) const;

    const std::vector<uint32_t>& GetSlots() const; //!< @return number of the replica in each slot
    const Color& GetColorAt(uint32_t slot) const;  //!< @param slot a slot @return its colour
    bool IsActiveAt(uint32_t slot) const;          //!< @param slot a slot @return whether it runs
    bool IsByzantineAt(uint32_t slot) const; //!< @param slot a slot @return whether it is Byzantine
    /// @param slot a slot @return whether messages for its replica are delayed
    bool IsDelayedAt(uint32_t slot) const;
    bool IsActive(uint32_t id) const; //!< @param id number of a replica @return whether it runs
    bool IsOne() const;               //!< @return whether all run, in one block
    uint32_t CountActive() const;     //!< @return replicas that run

    /**
     * @param slot A slot.
     * @return whether none before it has its colour
     */
    bool IsFirstOfColor(uint32_t slot) const;

    /**
     * Say which replica is meant by a slot: replicas of one colour are in a random order.
     *
     * @param key Decides about the order.
     * @return the number of the replica for each slot
     */
    std::vector<uint32_t> Draw(const std::string& key) const;

    /**
     * @param id Number of a replica.
     * @return the numbers of those that run, and that no messages pass to it from
     */
    std::vector<uint32_t> FindApart(uint32_t id) const;

    /**
     * @return a number for the colour of each slot that runs, equal ones side by side
     */
    SetPartitions::Blocks GetActiveColors() const;

    /**
     * @return the block of each slot, numbered in the order of slots; stopped ones have the last
     */
    std::vector<uint32_t> GetBlocks() const;

    /**
     * @return the block of each replica, by its number, or STOPPED
     */
    const std::vector<int32_t>& GetBlocksOfReplicas() const;

    /**
     * @return colours of each block, as JSON; equal for partitions that look alike
     */
    std::string GetText() const;

  private:
    std::vector<int32_t> m_blocks; //!< Of each replica, or STOPPED
    std::vector<Color> m_colors;   //!< Of each replica
    std::vector<bool> m_byzantine; //!< Whether each replica is
    std::vector<bool> m_delayed;   //!< Whether messages for each replica are delayed
    std::vector<uint32_t> m_slots; //!< Number of the replica in each slot
};

} // namespace ns3

#endif // COLORED_PARTITION_H
