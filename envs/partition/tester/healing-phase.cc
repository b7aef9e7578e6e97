// SPDX-License-Identifier: GPL-2.0-only

#include "healing-phase.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t REQUESTS = 2; // requests to commit, one by one
constexpr uint32_t ATTEMPTS = 8; // requests of a client until the deadline

} // namespace

HealingPhase::HealingPhase(const ReplicaProtocol& protocol,
                           const ReplicaGroup& group,
                           const TesterParameters& parameters)
    : m_protocol(protocol),
      m_parameters(parameters),
      m_first(group.requests + 1),
      m_reached(group.states.size())
{
    for (const auto& state : group.states)
    {
        m_committed.push_back(CountCommitted(state));
        m_byzantine.push_back(state.byzantine);
        m_goal = state.byzantine ? m_goal : std::max(m_goal, m_committed.back());
    }
    for (std::size_t i = 0; i < group.states.size(); i++)
    {
        Advances(i, group.states[i]);
    }
    Wait(group);
}

std::size_t
HealingPhase::CountCommitted(const ReplicaState& state) const
{
    return m_protocol.CountCommitted(state).value_or(0);
}

bool
HealingPhase::WantsRequest() const
{
    return m_requests < REQUESTS && !m_isCommitted && m_pause == 0;
}

void
HealingPhase::NoteTick(const ReplicaGroup& group, uint32_t taken)
{
    m_ticks++;
    m_pause =
        taken >= m_first ? std::max<uint64_t>(m_patience / ATTEMPTS, 1) : m_pause - (m_pause > 0);
    if (m_requests == REQUESTS)
    {
        NoteLeadership(group);
        return;
    }
    bool progresses = false;
    for (std::size_t i = 0; i < group.states.size(); i++)
    {
        m_byzantine[i] = group.states[i].byzantine;
        progresses |= FindRequests(i, group.states[i]);
    }
    for (std::size_t i = 0; i < group.states.size(); i++)
    {
        progresses |= Advances(i, group.states[i]);
    }
    if (FinishesRequest(group) || progresses)
    {
        Wait(group);
    }
}

bool
HealingPhase::FindRequests(std::size_t index, const ReplicaState& state)
{
    bool isNew = false;
    const auto committed = CountCommitted(state);
    const auto end = std::min<std::size_t>(committed, state.compacted + state.log.size());
    for (auto i = std::max<std::size_t>(m_committed[index], state.compacted);
         i < end && !state.byzantine;
         i++)
    {
        const auto request = state.log[i - state.compacted].request;
        isNew |= request > 0 && m_found.insert(request).second;
        if (!m_isCommitted && request >= m_first)
        {
            m_isCommitted = true;
            m_goal = std::max(m_goal, i + 1);
        }
    }
    m_committed[index] = committed;
    return isNew;
}

bool
HealingPhase::Advances(std::size_t index, const ReplicaState& state)
{
    const auto stored = std::min<std::size_t>(state.compacted + state.log.size(), m_goal);
    const auto reached = stored + std::min(m_committed[index], m_goal);
    const auto before = std::exchange(m_reached[index], std::max(m_reached[index], reached));
    return !state.byzantine && reached > before;
}

bool
HealingPhase::FinishesRequest(const ReplicaGroup& group)
{
    for (std::size_t i = 0; i < m_committed.size(); i++)
    {
        if (!m_isCommitted || !HasReached(i))
        {
            return false;
        }
    }
    m_requests++;
    m_first = group.requests + 1;
    m_isCommitted = false;
    m_pause = 0;
    if (m_requests == REQUESTS)
    {
        m_stableTicks = m_parameters.stableTicks > 0
                            ? m_parameters.stableTicks
                            : m_protocol.GetStableTicks(group, m_parameters.tick);
        m_leadership = m_protocol.GetLeadership(group);
    }
    return true;
}

void
HealingPhase::NoteLeadership(const ReplicaGroup& group)
{
    auto leadership = m_protocol.GetLeadership(group);
    const bool isEqual = leadership == m_leadership;
    m_changes += !isEqual;
    m_stable = isEqual && !m_protocol.FindTakers(group.states).empty() ? m_stable + 1 : 0;
    m_leadership = std::move(leadership);
}

void
HealingPhase::Wait(const ReplicaGroup& group)
{
    m_progress = m_ticks;
    m_patience = m_parameters.healingTicks > 0
                     ? m_parameters.healingTicks
                     : m_protocol.GetHealingTicks(group, m_parameters.tick);
    m_patience += m_stableTicks;
}

bool
HealingPhase::IsHealed() const
{
    return m_requests == REQUESTS && m_stable >= m_stableTicks;
}

std::vector<std::string>
HealingPhase::FindViolations() const
{
    if (IsHealed())
    {
        return {};
    }
    const auto idle = m_ticks - m_progress;
    if (m_requests == REQUESTS)
    {
        return {"stability: leadership has changed " + std::to_string(m_changes) +
                " times in the last " + std::to_string(idle) +
                " ticks of healing, and was never stable for " + std::to_string(m_stableTicks) +
                " ticks"};
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
    auto since = " after " + std::to_string(m_ticks) + " ticks of healing";
    if (m_progress > 0)
    {
        since += ", " + std::to_string(idle) + " of them without progress";
    }
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
