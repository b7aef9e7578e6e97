// SPDX-License-Identifier: GPL-2.0-only

#ifndef COLORED_PARTITION_H
#define COLORED_PARTITION_H

#include "painter.h"
#include "set-partitions.h"

#include "ns3/hash.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param blocks Texts without quotation marks.
 * @return the blocks, as JSON without spaces
 */
inline std::string
ToJson(const std::vector<std::vector<std::string>>& blocks)
{
    std::string text = "[";
    for (const auto& block : blocks)
    {
        text += text.size() > 1 ? ",[" : "[";
        for (const auto& each : block)
        {
            text += (text.back() == '[' ? "\"" : ",\"") + each + "\"";
        }
        text += "]";
    }
    return text + "]";
}

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
    explicit ColoredPartition(uint32_t replicas)
        : m_blocks(replicas, 0),
          m_last(replicas, STOPPED),
          m_colors(replicas),
          m_byzantine(replicas),
          m_delayed(replicas),
          m_clocks(replicas),
          m_slots(replicas)
    {
        std::iota(m_slots.begin(), m_slots.end(), 1);
    }

    /**
     * Divide the running replicas.
     *
     * @param blocks The block of each slot; ignored for stopped replicas.
     * @param drawn Numbers of replicas in the slots; see Draw().
     */
    void Divide(const SetPartitions::Blocks& blocks, const std::vector<uint32_t>& drawn)
    {
        for (std::size_t slot = 0; slot < m_slots.size(); slot++)
        {
            if (IsActiveAt(slot))
            {
                m_blocks[drawn[slot] - 1] = blocks[slot];
            }
        }
        m_last.assign(m_last.size(), STOPPED);
    }

    /**
     * Remove a replica from its block.
     *
     * @param id Number of the replica.
     * @param passing Whether messages from and to it pass in its last block until the next
     * division.
     */
    void Stop(uint32_t id, bool passing)
    {
        m_last[id - 1] = passing ? m_blocks[id - 1] : STOPPED;
        m_blocks[id - 1] = STOPPED;
    }

    /// @param id replica that gets its own block
    void Start(uint32_t id)
    {
        m_last[id - 1] = STOPPED;
        const auto last = std::max(*std::max_element(m_blocks.begin(), m_blocks.end()),
                                   *std::max_element(m_last.begin(), m_last.end()));
        m_blocks[id - 1] = last + 1;
    }

    /// Merge all replicas into one block; all run
    void Unite()
    {
        m_blocks.assign(m_blocks.size(), 0);
        m_last.assign(m_last.size(), STOPPED);
    }

    /**
     * Update and order all replicas.
     *
     * @param painter Painter of the replicas.
     * @param states States of all replicas.
     */
    void Paint(const Painter& painter, const std::vector<ReplicaState>& states)
    {
        for (uint32_t id = 1; id <= states.size(); id++)
        {
            m_colors[id - 1] = painter.Paint(id, states[id - 1]);
            m_byzantine[id - 1] = states[id - 1].byzantine;
            m_delayed[id - 1] = states[id - 1].delayed;
            m_clocks[id - 1] = states[id - 1].clockError;
        }
        std::sort(m_slots.begin(), m_slots.end(), [this](uint32_t one, uint32_t other) {
            const auto key = [this](uint32_t id) {
                return std::tuple(m_blocks[id - 1] == STOPPED,
                                  std::string_view(m_colors[id - 1].hash),
                                  id);
            };
            return key(one) < key(other);
        });
    }

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

    /// @param slot a slot @return error of its replica's clock in ns
    int64_t GetClockAt(uint32_t slot) const
    {
        return m_clocks[m_slots.at(slot) - 1];
    }

    /// @param id number of a replica @return whether it runs
    bool IsActive(uint32_t id) const
    {
        return m_blocks[id - 1] != STOPPED;
    }

    /// @return whether all replicas run and are in one block
    bool IsOne() const
    {
        return std::all_of(m_blocks.begin(), m_blocks.end(), [this](int32_t block) {
            return block != STOPPED && block == m_blocks.front();
        });
    }

    /// @return number of running replicas
    uint32_t CountActive() const
    {
        return m_blocks.size() - std::count(m_blocks.begin(), m_blocks.end(), STOPPED);
    }

    /**
     * @param slot A slot.
     * @return whether no earlier slot has its colour
     */
    bool IsFirstOfColor(uint32_t slot) const
    {
        return slot == 0 || GetColorAt(slot).hash != GetColorAt(slot - 1).hash;
    }

    /**
     * Assign replicas to slots: replicas of one colour are in a random order.
     *
     * @param key Key of the order.
     * @return the number of the replica for each slot
     */
    std::vector<uint32_t> Draw(const std::string& key) const
    {
        std::map<uint32_t, uint64_t> ranks;
        for (const auto id : m_slots)
        {
            ranks[id] = Hash64(key + "/" + std::to_string(id));
        }
        auto drawn = m_slots;
        for (std::size_t begin = 0; begin < drawn.size();)
        {
            auto end = begin + 1;
            while (end < drawn.size() && !IsFirstOfColor(end))
            {
                end++;
            }
            std::sort(drawn.begin() + begin,
                      drawn.begin() + end,
                      [&](uint32_t one, uint32_t other) {
                          return std::pair(ranks[one], one) < std::pair(ranks[other], other);
                      });
            begin = end;
        }
        return drawn;
    }

    /**
     * @param id Number of a replica.
     * @return the numbers of running replicas whose messages do not reach it
     */
    std::vector<uint32_t> FindApart(uint32_t id) const
    {
        std::vector<uint32_t> apart;
        for (uint32_t other = 1; other <= m_blocks.size(); other++)
        {
            if (IsActive(other) && !AreTogether(id, other))
            {
                apart.push_back(other);
            }
        }
        return apart;
    }

    /**
     * @return a number for the colour of each running slot, equal numbers side by side
     */
    SetPartitions::Blocks GetActiveColors() const
    {
        SetPartitions::Blocks colors;
        for (uint32_t slot = 0; slot < CountActive(); slot++)
        {
            const bool isNew = slot > 0 && IsFirstOfColor(slot);
            colors.push_back(slot == 0 ? 0 : colors.back() + isNew);
        }
        return colors;
    }

    /**
     * @return the block of each slot, numbered in the order of slots; stopped replicas have the
     * last number
     */
    std::vector<uint32_t> GetBlocks() const
    {
        std::map<int32_t, uint32_t> numbers;
        std::vector<uint32_t> blocks;
        for (const auto id : m_slots)
        {
            const auto number = numbers.emplace(m_blocks[id - 1], numbers.size()).first->second;
            blocks.push_back(number);
        }
        return blocks;
    }

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
    std::string GetText() const
    {
        std::map<int32_t, std::vector<std::string>> colors;
        for (const auto id : m_slots)
        {
            colors[m_blocks[id - 1]].push_back(m_colors[id - 1].hash);
        }
        std::vector<std::vector<std::string>> blocks;
        for (auto& [number, hashes] : colors)
        {
            std::sort(hashes.begin(), hashes.end());
            blocks.push_back(std::move(hashes));
        }
        std::sort(blocks.begin(), blocks.end(), [](const auto& one, const auto& other) {
            return std::pair(one.size(), one) < std::pair(other.size(), other);
        });
        return ToJson(blocks);
    }

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
    std::vector<int64_t> m_clocks; //!< Error of each replica's clock in ns
    std::vector<uint32_t> m_slots; //!< Number of the replica in each slot
};

} // namespace ns3

#endif // COLORED_PARTITION_H
