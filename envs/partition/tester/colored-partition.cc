// SPDX-License-Identifier: GPL-2.0-only

#include "colored-partition.h"

#include "ns3/hash.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3
{

std::string
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

ColoredPartition::ColoredPartition(uint32_t replicas)
    : m_blocks(replicas, 0),
      m_last(replicas, STOPPED),
      m_colors(replicas),
      m_byzantine(replicas),
      m_delayed(replicas),
      m_slots(replicas)
{
    std::iota(m_slots.begin(), m_slots.end(), 1);
}

void
ColoredPartition::Divide(const SetPartitions::Blocks& blocks, const std::vector<uint32_t>& drawn)
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

void
ColoredPartition::Stop(uint32_t id, bool passing)
{
    m_last[id - 1] = passing ? m_blocks[id - 1] : STOPPED;
    m_blocks[id - 1] = STOPPED;
}

void
ColoredPartition::Start(uint32_t id)
{
    m_last[id - 1] = STOPPED;
    const auto last = std::max(*std::max_element(m_blocks.begin(), m_blocks.end()),
                               *std::max_element(m_last.begin(), m_last.end()));
    m_blocks[id - 1] = last + 1;
}

void
ColoredPartition::Unite()
{
    m_blocks.assign(m_blocks.size(), 0);
    m_last.assign(m_last.size(), STOPPED);
}

void
ColoredPartition::Paint(const Painter& painter, const std::vector<ReplicaState>& states)
{
    for (uint32_t id = 1; id <= states.size(); id++)
    {
        m_colors[id - 1] = painter.Paint(id, states[id - 1]);
        m_byzantine[id - 1] = states[id - 1].byzantine;
        m_delayed[id - 1] = states[id - 1].delayed;
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
ColoredPartition::IsOne() const
{
    return std::all_of(m_blocks.begin(), m_blocks.end(), [this](int32_t block) {
        return block != STOPPED && block == m_blocks.front();
    });
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
ColoredPartition::Draw(const std::string& key) const
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
        std::sort(drawn.begin() + begin, drawn.begin() + end, [&](uint32_t one, uint32_t other) {
            return std::pair(ranks[one], one) < std::pair(ranks[other], other);
        });
        begin = end;
    }
    return drawn;
}

std::vector<uint32_t>
ColoredPartition::FindApart(uint32_t id) const
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

std::string
ColoredPartition::GetText() const
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

} // namespace ns3
