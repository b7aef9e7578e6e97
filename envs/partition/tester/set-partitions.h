// SPDX-License-Identifier: GPL-2.0-only

#ifndef SET_PARTITIONS_H
#define SET_PARTITIONS_H

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @brief All ways to divide slots into blocks, numbered in lexicographic order of their
 * restricted-growth strings. Element i is the block of slot i, block 0 is the block of slot 0, and
 * each new block has the next number (Knuth, The Art of Computer Programming 4A, 7.2.1.5).
 */
class SetPartitions
{
  public:
    using Blocks = std::vector<uint8_t>; //!< The block of each slot

    /**
     * @param slots Number of slots.
     * @param mostBlocks Maximum number of blocks in a partition; 0: as many as slots.
     */
    SetPartitions(uint32_t slots, uint32_t mostBlocks)
        : m_slots(slots),
          m_mostBlocks(mostBlocks == 0 ? slots : mostBlocks)
    {
        Blocks begin;
        Enumerate(begin, 0);
    }

    /// @return number of partitions
    uint32_t Count() const
    {
        return m_partitions.size();
    }

    /**
     * @param index Number of a partition.
     * @return the block of each slot
     */
    const Blocks& Get(uint32_t index) const
    {
        return m_partitions.at(index);
    }

    /**
     * Find one partition for each way to divide a multiset of colours.
     *
     * @param colors A number for the colour of each counted slot, equal numbers side by side. Later
     * slots do not count.
     * @return for each partition, whether no earlier one is indistinguishable from it
     */
    const std::vector<int8_t>& GetRepresentatives(const Blocks& colors)
    {
        const auto [entry, isNew] = m_representatives.try_emplace(colors);
        auto& found = entry->second;
        if (isNew)
        {
            std::set<std::vector<Blocks>> known;
            for (const auto& partition : m_partitions)
            {
                found.push_back(known.insert(GetColoredBlocks(partition, colors)).second);
            }
        }
        return found;
    }

  private:
    /**
     * @param partition The block of each slot.
     * @param colors Colors of the counted slots.
     * @return the colours of each block, sorted: equal for indistinguishable partitions
     */
    static std::vector<Blocks> GetColoredBlocks(const Blocks& partition, const Blocks& colors)
    {
        std::vector<Blocks> blocks(partition.size());
        for (std::size_t slot = 0; slot < colors.size(); slot++)
        {
            blocks[partition[slot]].push_back(colors[slot]);
        }
        std::sort(blocks.begin(), blocks.end());
        return blocks;
    }

    /**
     * Add all partitions with the same begin.
     *
     * @param begin Begin of the partitions.
     * @param blocks Number of blocks in the begin.
     */
    void Enumerate(Blocks& begin, uint32_t blocks)
    {
        if (begin.size() == m_slots)
        {
            m_partitions.push_back(begin);
            return;
        }
        for (uint32_t block = 0; block < std::min(blocks + 1, m_mostBlocks); block++)
        {
            begin.push_back(block);
            Enumerate(begin, std::max(blocks, block + 1));
            begin.pop_back();
        }
    }

    uint32_t m_slots;                                        //!< Number of slots
    uint32_t m_mostBlocks;                                   //!< Maximum blocks of a partition
    std::vector<Blocks> m_partitions;                        //!< Partitions by number
    std::map<Blocks, std::vector<int8_t>> m_representatives; //!< Known representatives, by colours
};

} // namespace ns3

#endif // SET_PARTITIONS_H
