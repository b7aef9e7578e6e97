// SPDX-License-Identifier: GPL-2.0-only

#include "tester-actions.h"

#include <algorithm>
#include <map>

namespace ns3
{

TesterActions::TesterActions(const TesterParameters& parameters, TesterRole role)
    : m_parameters(parameters),
      m_role(role),
      m_partitions(parameters.replicas, parameters.mostBlocks)
{
    const auto add = [this](TesterAction::Kind kind, uint32_t count) {
        for (uint32_t argument = 0; argument < count; argument++)
        {
            m_actions.push_back({kind, argument});
        }
    };
    add(TesterAction::KEEP, 1);
    if (Has(TesterRole::PARTITIONER))
    {
        add(TesterAction::CREATE, m_partitions.Count());
    }
    if (Has(TesterRole::CRASHER))
    {
        add(TesterAction::STOP, parameters.replicas);
        add(TesterAction::START, parameters.replicas);
    }
    if (Has(TesterRole::CLIENT))
    {
        add(TesterAction::REQUEST, 1);
    }
    if (Has(TesterRole::CRASHER) && parameters.withByzantine)
    {
        add(TesterAction::BYZANTINE, parameters.replicas);
    }
    if (Has(TesterRole::PARTITIONER) && parameters.withDelays)
    {
        add(TesterAction::DELAY, parameters.replicas);
        add(TesterAction::RELEASE, parameters.replicas);
    }
    if (Has(TesterRole::PARTITIONER) && parameters.Heals())
    {
        add(TesterAction::HEAL, 1);
    }
}

bool
TesterActions::Has(TesterRole part) const
{
    return m_role == part || m_role == TesterRole::TESTER;
}

std::vector<int8_t>
TesterActions::GetMask(const ColoredPartition& partition, const TesterCounts& counts)
{
    std::vector<int8_t> mask;
    if (counts.mustHeal)
    {
        const auto last = Has(TesterRole::PARTITIONER) ? TesterAction::HEAL : TesterAction::KEEP;
        for (const auto& action : m_actions)
        {
            mask.push_back(action.kind == last);
        }
        return mask;
    }
    const bool runs = partition.CountActive() > 0;
    const auto& first = m_partitions.GetRepresentatives(partition.GetActiveColors());
    for (const auto& action : m_actions)
    {
        switch (action.kind)
        {
        case TesterAction::KEEP:
            // Only a tester has other actions than to wait.
            mask.push_back(runs || m_role != TesterRole::TESTER);
            break;
        case TesterAction::CREATE:
            mask.push_back(runs && first[action.argument]);
            break;
        case TesterAction::REQUEST:
            mask.push_back(counts.canRequest);
            break;
        case TesterAction::HEAL:
            mask.push_back(m_parameters.HealsOnDemand());
            break;
        default:
            mask.push_back(IsAllowed(action, partition, counts));
        }
    }
    return mask;
}

bool
TesterActions::IsAllowed(TesterAction action,
                         const ColoredPartition& partition,
                         const TesterCounts& counts) const
{
    const auto slot = action.argument;
    const bool runs = partition.IsActiveAt(slot);
    if (!partition.IsFirstOfColor(slot) || runs != (action.kind != TesterAction::START))
    {
        return false;
    }
    const auto stopped = m_parameters.replicas - partition.CountActive();
    const auto most = m_parameters.mostInactive;
    switch (action.kind)
    {
    case TesterAction::STOP:
        return m_parameters.withCrashes && counts.crashes < m_parameters.crashLimit &&
               (most == 0 || stopped < most);
    case TesterAction::BYZANTINE:
        return !partition.IsByzantineAt(slot) && counts.byzantine < m_parameters.mostByzantine;
    case TesterAction::RELEASE:
        return partition.IsDelayedAt(slot);
    default:
        return true;
    }
}

std::string
TesterActions::GetLook(uint32_t index, const ColoredPartition& partition) const
{
    static const char* const names[] =
        {"keep", "create", "stop", "start", "request", "byzantine", "delay", "release", "heal"};
    const auto action = Get(index);
    const std::string name = names[action.kind];
    if (action.kind == TesterAction::KEEP || action.kind == TesterAction::REQUEST ||
        action.kind == TesterAction::HEAL)
    {
        return "{\"" + name + "\":true}";
    }
    if (action.kind != TesterAction::CREATE)
    {
        return "{\"" + name + "\":\"" + partition.GetColorAt(action.argument).hash + "\"}";
    }
    const auto& blocks = GetBlocks(action.argument);
    std::map<uint8_t, std::vector<std::string>> colors;
    for (uint32_t slot = 0; slot < partition.CountActive(); slot++)
    {
        colors[blocks[slot]].push_back(partition.GetColorAt(slot).hash);
    }
    std::vector<std::vector<std::string>> sorted;
    for (auto& [block, hashes] : colors)
    {
        std::sort(hashes.begin(), hashes.end());
        sorted.push_back(std::move(hashes));
    }
    std::sort(sorted.begin(), sorted.end());
    return "{\"" + name + "\":" + ToJson(sorted) + "}";
}

} // namespace ns3
