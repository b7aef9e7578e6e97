// SPDX-License-Identifier: GPL-2.0-only

#include "message-delays.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

void
MessageDelays::Clear()
{
    std::fill(m_last.begin(), m_last.end(), 0);
    std::fill(m_counts.begin(), m_counts.end(), 0);
}

void
MessageDelays::BeginTick()
{
    if (m_replica > 0)
    {
        m_last[m_replica - 1] = m_controller.GetLastArrival(m_replica);
    }
}

std::vector<PendingMessage>
MessageDelays::TakeReleased()
{
    std::vector<PendingMessage> released;
    if (m_releasing == 0)
    {
        return released;
    }
    for (const auto& message : m_controller.GetPendingMessages())
    {
        if (message.to == m_releasing && Delays(message))
        {
            released.push_back(message);
        }
    }
    m_last[m_releasing - 1] = 0;
    m_releasing = 0;
    return released;
}

void
MessageDelays::EndStep()
{
    m_replica = 0;
    std::fill(m_counts.begin(), m_counts.end(), 0);
    if (std::any_of(m_last.begin(), m_last.end(), [](auto number) { return number > 0; }))
    {
        for (const auto& message : m_controller.GetPendingMessages())
        {
            m_counts[message.to - 1] += Delays(message);
        }
    }
    for (std::size_t i = 0; i < m_last.size(); i++)
    {
        m_last[i] = m_counts[i] > 0 ? m_last[i] : 0;
    }
}

bool
MessageDelays::Delays(const PendingMessage& message) const
{
    return message.number <= m_last[message.to - 1];
}

uint32_t
MessageDelays::Count() const
{
    return std::accumulate(m_counts.begin(), m_counts.end(), 0U);
}

} // namespace ns3
