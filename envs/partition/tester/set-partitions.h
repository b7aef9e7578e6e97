// SPDX-License-Identifier: GPL-2.0-only

#ifndef SET_PARTITIONS_H
#define SET_PARTITIONS_H

#include <cstdint>
#include <map>
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
    SetPartitions(uint32_t slots, uint32_t mostBlocks);

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
    const std::vector<int8_t>& GetRepresentatives(const Blocks& colors);

  private:
    /**
     * Add all partitions with the same begin.
     *
     * @param begin Begin of the partitions.
     * @param blocks Number of blocks in the begin.
     */
    void Enumerate(Blocks& begin, uint32_t blocks);

    uint32_t m_slots;                                        //!< Number of slots
    uint32_t m_mostBlocks;                                   //!< Maximum blocks of a partition
    std::vector<Blocks> m_partitions;                        //!< Partitions by number
    std::map<Blocks, std::vector<int8_t>> m_representatives; //!< Known representatives, by colours
};

} // namespace ns3

#endif // SET_PARTITIONS_H
