// SPDX-License-Identifier: GPL-2.0-only

#include "colored-partition.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace ns3
{

ColoredPartition::ColoredPartition(uint32_t replicas)
    : m_blocks(replicas, 0),
      m_colors(replicas),
      m_slots(replicas)
{
    std::iota(m_slots.begin(), m_slots.end(), 1);
}

void
ColoredPartition::Divide(const SetPartitions::Blocks& blocks)
{
    for (std::size_t slot = 0; slot < m_slots.size(); slot++)
    {
        if (IsActiveAt(slot))
        {
            m_blocks[m_slots[slot] - 1] = blocks[slot];
        }
    }
}

void
ColoredPartition::Stop(uint32_t id)
{
    m_blocks[id - 1] = STOPPED;
}

void
ColoredPartition::Start(uint32_t id)
{
    m_blocks[id - 1] = *std::max_element(m_blocks.begin(), m_blocks.end()) + 1;
}

void
ColoredPartition::Paint(const Painter& painter, const std::vector<ReplicaState>& states)
{
    for (uint32_t id = 1; id <= states.size(); id++)
    {
        m_colors[id - 1] = painter.Paint(id, states[id - 1]);
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

bool
ColoredPartition::AreTogether(uint32_t one, uint32_t other) const
{
    return m_blocks[one - 1] != STOPPED && m_blocks[one - 1] == m_blocks[other - 1];
}

const std::vector<uint32_t>&
ColoredPartition::GetSlots() const
{
    return m_slots;
}

const Color&
ColoredPartition::GetColorAt(uint32_t slot) const
{
    return m_colors[m_slots.at(slot) - 1];
}

bool
ColoredPartition::IsActiveAt(uint32_t slot) const
{
    return m_blocks[m_slots.at(slot) - 1] != STOPPED;
}

uint32_t
ColoredPartition::CountActive() const
{
    return m_blocks.size() - std::count(m_blocks.begin(), m_blocks.end(), STOPPED);
}

bool
ColoredPartition::IsFirstOfColor(uint32_t slot) const
{
    return slot == 0 || GetColorAt(slot).hash != GetColorAt(slot - 1).hash;
}

std::vector<uint32_t>
ColoredPartition::FindAlike(uint32_t slot) const
{
    std::vector<uint32_t> found;
    for (std::size_t other = 0; other < m_slots.size(); other++)
    {
        if (GetColorAt(other).hash == GetColorAt(slot).hash)
        {
            found.push_back(m_slots[other]);
        }
    }
    return found;
}

SetPartitions::Blocks
ColoredPartition::GetActiveColors() const
{
    SetPartitions::Blocks colors;
    for (uint32_t slot = 0; slot < CountActive(); slot++)
    {
        const bool isNew = slot > 0 && IsFirstOfColor(slot);
        colors.push_back(slot == 0 ? 0 : colors.back() + isNew);
    }
    return colors;
}

std::vector<uint32_t>
ColoredPartition::GetBlocks() const
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

const std::vector<int32_t>&
ColoredPartition::GetBlocksOfReplicas() const
{
    return m_blocks;
}

std::string
ColoredPartition::GetText() const
{
    std::map<int32_t, std::vector<std::string>> colors;
    for (const auto id : m_slots)
    {
        colors[m_blocks[id - 1]].push_back(m_colors[id - 1].hash);
    }
    std::vector<std::tuple<std::size_t, std::vector<std::string>>> blocks;
    for (auto& [number, hashes] : colors)
    {
        std::sort(hashes.begin(), hashes.end());
        blocks.emplace_back(hashes.size(), std::move(hashes));
    }
    std::sort(blocks.begin(), blocks.end());
    std::string text = "[";
    for (const auto& [size, hashes] : blocks)
    {
        text += text.size() > 1 ? ",[" : "[";
        for (const auto& hash : hashes)
        {
            text += (text.back() == '[' ? "\"" : ",\"") + hash + "\"";
        }
        text += "]";
    }
    return text + "]";
}

} // namespace ns3
