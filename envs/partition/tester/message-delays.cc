// SPDX-License-Identifier: GPL-2.0-only

#include "message-delays.h"

namespace ns3
{

void
MessageDelays::Delay(uint32_t replica)
{
    m_replica = replica;
}

void
MessageDelays::Release(uint32_t replica)
{
    m_releasing = replica;
}

void
MessageDelays::Clear()
{
    m_waiting.clear();
}

std::vector<PendingMessage>
MessageDelays::TakeOut(const std::vector<PendingMessage>& pending)
{
    std::vector<PendingMessage> passing;
    m_released.clear();
    for (const auto& message : pending)
    {
        const auto key = GetKey(message);
        if (message.to == m_releasing && m_waiting.erase(key) > 0)
        {
            m_released.push_back(message);
        }
        else if (message.to == m_replica)
        {
            m_waiting.insert(key);
        }
        else if (!m_waiting.contains(key))
        {
            passing.push_back(message);
        }
    }
    m_releasing = 0;
    return passing;
}

const std::vector<PendingMessage>&
MessageDelays::GetReleased() const
{
    return m_released;
}

void
MessageDelays::EndStep(const std::vector<PendingMessage>& pending)
{
    std::set<Key> held;
    for (const auto& message : pending)
    {
        held.insert(GetKey(message));
    }
    std::erase_if(m_waiting, [&held](const Key& key) { return !held.contains(key); });
    m_replica = 0;
}

bool
MessageDelays::DelaysFor(uint32_t replica) const
{
    const auto first = m_waiting.lower_bound({replica, 0});
    return first != m_waiting.end() && first->first == replica;
}

bool
MessageDelays::Delays(const PendingMessage& message) const
{
    return m_waiting.contains(GetKey(message));
}

uint32_t
MessageDelays::Count() const
{
    return m_waiting.size();
}

MessageDelays::Key
MessageDelays::GetKey(const PendingMessage& message)
{
    return {message.to, message.number};
}

} // namespace ns3
