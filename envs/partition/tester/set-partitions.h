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
     * @param slots How many.
     * @param mostBlocks In one partition; 0: as many as there are slots.
     */
    SetPartitions(uint32_t slots, uint32_t mostBlocks);

    uint32_t Count() const; //!< @return number of partitions

    /**
     * @param index Number of a partition.
     * @return the block of each slot
     */
    const Blocks& Get(uint32_t index) const;

    /**
     * Find one partition for each way to divide a multiset of colours.
     *
     * @param colors A number for the colour of each slot that counts, equal ones side by side.
     * Slots behind them do not count.
     * @return for each partition whether it is the first of those that look alike
     */
    const std::vector<int8_t>& GetRepresentatives(const Blocks& colors);

  private:
    /**
     * Add all partitions that begin in one way.
     *
     * @param begin How they begin.
     * @param blocks Number of blocks in it.
     */
    void Enumerate(Blocks& begin, uint32_t blocks);

    uint32_t m_slots;                                        //!< How many there are
    uint32_t m_mostBlocks;                                   //!< In one partition
    std::vector<Blocks> m_partitions;                        //!< By number
    std::map<Blocks, std::vector<int8_t>> m_representatives; //!< Found before, by colours
};

} // namespace ns3

#endif // SET_PARTITIONS_H
