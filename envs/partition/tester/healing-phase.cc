// SPDX-License-Identifier: GPL-2.0-only

#include "healing-phase.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr uint32_t REQUESTS = 2; // requests to commit, one by one
constexpr uint32_t ATTEMPTS = 8; // requests of a client until the deadline

} // namespace

HealingPhase::HealingPhase(const ReplicaProtocol& protocol,
                           const ReplicaGroup& group,
                           uint32_t ticks)
    : m_protocol(protocol),
      m_limit(ticks),
      m_first(group.requests + 1)
{
    for (const auto& state : group.states)
    {
        m_committed.push_back(CountCommitted(state));
        m_byzantine.push_back(state.byzantine);
        m_goal = state.byzantine ? m_goal : std::max(m_goal, m_committed.back());
    }
}

std::size_t
HealingPhase::CountCommitted(const ReplicaState& state) const
{
    return m_protocol.CountCommitted(state).value_or(0);
}

bool
HealingPhase::WantsRequest() const
{
    return !m_isCommitted && m_pause == 0;
}

void
HealingPhase::NoteTick(const ReplicaGroup& group, uint32_t taken)
{
    m_ticks++;
    m_pause = taken >= m_first ? std::max(m_limit / ATTEMPTS, 1U) : m_pause - (m_pause > 0);
    for (std::size_t i = 0; i < group.states.size(); i++)
    {
        m_byzantine[i] = group.states[i].byzantine;
        FindRequest(i, group.states[i]);
    }
    bool isEverywhere = true;
    for (std::size_t i = 0; i < group.states.size(); i++)
    {
        isEverywhere = isEverywhere && HasReached(i);
    }
    if (m_isCommitted && isEverywhere)
    {
        m_requests++;
        m_first = group.requests + 1;
        m_isCommitted = false;
        m_pause = 0;
    }
}

void
HealingPhase::FindRequest(std::size_t index, const ReplicaState& state)
{
    const auto committed = CountCommitted(state);
    const auto end = std::min<std::size_t>(committed, state.compacted + state.log.size());
    for (auto i = std::max<std::size_t>(m_committed[index], state.compacted); i < end; i++)
    {
        if (!m_isCommitted && !state.byzantine && state.log[i - state.compacted].request >= m_first)
        {
            m_isCommitted = true;
            m_goal = std::max(m_goal, i + 1);
        }
    }
    m_committed[index] = committed;
}

bool
HealingPhase::HasReached(std::size_t index) const
{
    return m_byzantine[index] || m_committed[index] >= m_goal;
}

bool
HealingPhase::IsOver() const
{
    return m_requests == REQUESTS || m_ticks >= m_limit;
}

std::vector<std::string>
HealingPhase::FindViolations() const
{
    if (m_requests == REQUESTS)
    {
        return {};
    }
    std::ostringstream behind;
    for (std::size_t i = 0; i < m_committed.size(); i++)
    {
        if (!HasReached(i))
        {
            behind << (behind.tellp() > 0 ? ", " : "") << "replica " << i + 1 << " has "
                   << m_committed[i];
        }
    }
    const auto since = " after " + std::to_string(m_limit) + " ticks of healing";
    std::vector<std::string> found;
    if (behind.tellp() > 0)
    {
        found.push_back("convergence: " + std::to_string(m_goal) + " entries are committed, and " +
                        behind.str() + since);
    }
    if (!m_isCommitted)
    {
        found.push_back("liveness: no replica has committed new request " +
                        std::to_string(m_requests + 1) + " of " + std::to_string(REQUESTS) + since);
    }
    return found;
}

} // namespace ns3
