// SPDX-License-Identifier: GPL-2.0-only

#include "set-partitions.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

using Blocks = SetPartitions::Blocks;

/**
 * @param partition The block of each slot.
 * @param colors Colors of the counted slots.
 * @return the colours of each block, sorted: equal for indistinguishable partitions
 */
std::vector<Blocks>
GetColoredBlocks(const Blocks& partition, const Blocks& colors)
{
    std::vector<Blocks> blocks(partition.size());
    for (std::size_t slot = 0; slot < colors.size(); slot++)
    {
        blocks[partition[slot]].push_back(colors[slot]);
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

} // namespace

SetPartitions::SetPartitions(uint32_t slots, uint32_t mostBlocks)
    : m_slots(slots),
      m_mostBlocks(mostBlocks == 0 ? slots : mostBlocks)
{
    Blocks begin;
    Enumerate(begin, 0);
}

void
SetPartitions::Enumerate(Blocks& begin, uint32_t blocks)
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

const std::vector<int8_t>&
SetPartitions::GetRepresentatives(const Blocks& colors)
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

} // namespace ns3
