// SPDX-License-Identifier: GPL-2.0-only

#include "tester-actions.h"

#include <algorithm>

namespace ns3
{

TesterActions::TesterActions(const TesterParameters& parameters)
    : m_parameters(parameters),
      m_partitions(parameters.replicas, parameters.mostBlocks)
{
}

uint32_t
TesterActions::Count() const
{
    return 1 + m_partitions.Count() + 2 * m_parameters.replicas + 1;
}

TesterAction
TesterActions::Get(uint32_t index) const
{
    if (index == 0)
    {
        return {TesterAction::KEEP, 0};
    }
    index--;
    if (index < m_partitions.Count())
    {
        return {TesterAction::CREATE, index};
    }
    index -= m_partitions.Count();
    if (index < m_parameters.replicas)
    {
        return {TesterAction::STOP, index};
    }
    index -= m_parameters.replicas;
    if (index < m_parameters.replicas)
    {
        return {TesterAction::START, index};
    }
    return {TesterAction::REQUEST, 0};
}

const SetPartitions::Blocks&
TesterActions::GetBlocks(uint32_t partition) const
{
    return m_partitions.Get(partition);
}

std::vector<int8_t>
TesterActions::GetMask(const ColoredPartition& partition, uint32_t crashes, bool canRequest)
{
    const auto replicas = m_parameters.replicas;
    const auto active = partition.CountActive();
    const auto most = m_parameters.mostInactive;
    const bool mayStop = m_parameters.withCrashes && crashes < m_parameters.crashLimit &&
                         (most == 0 || replicas - active < most);
    std::vector<int8_t> mask(Count(), 0);
    if (active > 0)
    {
        mask[0] = 1;
        const auto& first = m_partitions.GetRepresentatives(partition.GetActiveColors());
        std::copy(first.begin(), first.end(), mask.begin() + 1);
    }
    const auto stops = mask.begin() + 1 + m_partitions.Count();
    for (uint32_t slot = 0; slot < replicas; slot++)
    {
        const bool runs = partition.IsActiveAt(slot);
        const bool isFirst = partition.IsFirstOfColor(slot);
        stops[slot] = runs && isFirst && mayStop;
        stops[replicas + slot] = !runs && isFirst;
    }
    mask.back() = canRequest;
    return mask;
}

} // namespace ns3
