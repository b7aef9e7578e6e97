// SPDX-License-Identifier: GPL-2.0-only

#ifndef HEALING_PHASE_H
#define HEALING_PHASE_H

#include "replica-protocol.h"
#include "tester-parameters.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

constexpr uint32_t REQUESTS = 2; // requests to commit, one by one
constexpr uint32_t ATTEMPTS = 8; // requests of a client until the deadline

/**
 * @brief The requirement while all replicas run on whole links: every replica gets every committed
 * entry, new requests are committed, and the leader remains.
 *
 * A client sends a request, and a second one when all replicas have committed the first: a replica
 * that makes progress once may stop afterwards. If a request is not committed, the client sends
 * another one after a while, because a replaced leader loses requests. Byzantine replicas need not
 * commit anything.
 *
 * The phase lasts while the replicas make progress: its length follows from the missing entries.
 * Only a limited number of steps counts as progress, so that each phase ends.
 */
class HealingPhase
{
  public:
    /**
     * @param protocol Protocol of the replicas; it lives as long as this object.
     * @param group All replicas at the begin of the phase.
     * @param parameters Parameters of healing.
     */
    HealingPhase(const ReplicaProtocol& protocol,
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

    /// @return whether the client sends a request at the next tick
    bool WantsRequest() const
    {
        return m_requests < REQUESTS && !m_isCommitted && m_pause == 0;
    }

    /**
     * Check the replicas after a tick.
     *
     * @param group All replicas.
     * @param taken Number of the request taken in this tick; 0: none.
     */
    void NoteTick(const ReplicaGroup& group, uint32_t taken)
    {
        m_ticks++;
        m_pause = taken >= m_first ? std::max<uint64_t>(m_patience / ATTEMPTS, 1)
                                   : m_pause - (m_pause > 0);
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

    /// @return whether the replicas are healed or time is up
    bool IsOver() const
    {
        return IsHealed() || m_ticks - m_progress >= m_patience;
    }

    /**
     * @return missing results: `convergence`, `liveness` or `stability`, a colon, and the replicas
     * and entries; empty if the replicas are healed
     */
    std::vector<std::string> FindViolations() const
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
            found.push_back("convergence: " + std::to_string(m_goal) +
                            " entries are committed, and " + behind.str() + since);
        }
        if (!m_isCommitted)
        {
            found.push_back("liveness: no replica has committed new request " +
                            std::to_string(m_requests + 1) + " of " + std::to_string(REQUESTS) +
                            since);
        }
        return found;
    }

  private:
    /**
     * @param state State of a replica.
     * @return number of its committed entries
     */
    std::size_t CountCommitted(const ReplicaState& state) const
    {
        return m_protocol.CountCommitted(state).value_or(0);
    }

    /**
     * Find requests among the entries that a replica has committed since the last tick.
     *
     * @param index Number of the replica, from 0.
     * @param state State of the replica.
     * @return whether a request was committed for the first time in this phase
     */
    bool FindRequests(std::size_t index, const ReplicaState& state)
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

    /**
     * @param index Number of a replica, from 0.
     * @param state State of the replica.
     * @return whether it has more of the required entries than ever
     */
    bool Advances(std::size_t index, const ReplicaState& state)
    {
        const auto stored = std::min<std::size_t>(state.compacted + state.log.size(), m_goal);
        const auto reached = stored + std::min(m_committed[index], m_goal);
        const auto before = std::exchange(m_reached[index], std::max(m_reached[index], reached));
        return !state.byzantine && reached > before;
    }

    /**
     * @param index Number of a replica, from 0.
     * @return whether it has committed all required entries
     */
    bool HasReached(std::size_t index) const
    {
        return m_byzantine[index] || m_committed[index] >= m_goal;
    }

    /**
     * @param group All replicas.
     * @return whether all correct replicas have committed the pending request
     */
    bool FinishesRequest(const ReplicaGroup& group)
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

    /// @param group all replicas, which have committed all requests: check their leader
    void NoteLeadership(const ReplicaGroup& group)
    {
        auto leadership = m_protocol.GetLeadership(group);
        const bool isEqual = leadership == m_leadership;
        m_changes += !isEqual;
        m_stable = isEqual && !m_protocol.FindTakers(group.states).empty() ? m_stable + 1 : 0;
        m_leadership = std::move(leadership);
    }

    /// @param group all replicas, which have just made progress: set the deadline
    void Wait(const ReplicaGroup& group)
    {
        m_progress = m_ticks;
        m_patience = m_parameters.healingTicks > 0
                         ? m_parameters.healingTicks
                         : m_protocol.GetHealingTicks(group, m_parameters.tick);
        m_patience += m_stableTicks;
    }

    /// @return whether all requirements are met
    bool IsHealed() const
    {
        return m_requests == REQUESTS && m_stable >= m_stableTicks;
    }

    const ReplicaProtocol& m_protocol;    //!< Protocol of the replicas
    TesterParameters m_parameters;        //!< Parameters of healing
    uint32_t m_ticks{0};                  //!< Ticks so far
    uint32_t m_progress{0};               //!< Ticks at the last progress
    uint64_t m_patience{0};               //!< Ticks for the next progress
    uint32_t m_pause{0};                  //!< Ticks until the client hands over another request
    uint32_t m_requests{0};               //!< Requests committed by all replicas
    uint32_t m_first;                     //!< Lowest number of the next request
    bool m_isCommitted{false};            //!< A replica has committed the next request
    std::size_t m_goal{0};                //!< Entries to commit at all replicas
    std::vector<std::size_t> m_committed; //!< Number of committed entries by replica
    std::vector<std::size_t> m_reached;   //!< Largest number of required entries by replica
    std::set<uint32_t> m_found;           //!< Requests committed in this phase
    std::vector<bool> m_byzantine;        //!< Replicas that need not commit
    std::vector<int64_t> m_leadership;    //!< Leadership after the last tick
    uint32_t m_changes{0};                //!< Changes of leadership after all requests
    uint32_t m_stable{0};                 //!< Ticks since the last change
    uint32_t m_stableTicks{0};            //!< Required ticks without a change
};

} // namespace ns3

#endif // HEALING_PHASE_H
