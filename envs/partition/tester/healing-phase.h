// SPDX-License-Identifier: GPL-2.0-only

#ifndef HEALING_PHASE_H
#define HEALING_PHASE_H

#include "replica-protocol.h"
#include "tester-parameters.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

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
                 const TesterParameters& parameters);

    bool WantsRequest() const; //!< @return whether the client sends a request at the next tick

    /**
     * Check the replicas after a tick.
     *
     * @param group All replicas.
     * @param taken Number of the request taken in this tick; 0: none.
     */
    void NoteTick(const ReplicaGroup& group, uint32_t taken);

    /// @return whether the replicas are healed or time is up
    bool IsOver() const
    {
        return IsHealed() || m_ticks - m_progress >= m_patience;
    }

    /**
     * @return missing results: `convergence`, `liveness` or `stability`, a colon, and the replicas
     * and entries; empty if the replicas are healed
     */
    std::vector<std::string> FindViolations() const;

  private:
    /**
     * @param state State of a replica.
     * @return number of its committed entries
     */
    std::size_t CountCommitted(const ReplicaState& state) const;

    /**
     * Find requests among the entries that a replica has committed since the last tick.
     *
     * @param index Number of the replica, from 0.
     * @param state State of the replica.
     * @return whether a request was committed for the first time in this phase
     */
    bool FindRequests(std::size_t index, const ReplicaState& state);

    /**
     * @param index Number of a replica, from 0.
     * @param state State of the replica.
     * @return whether it has more of the required entries than ever
     */
    bool Advances(std::size_t index, const ReplicaState& state);

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
    bool FinishesRequest(const ReplicaGroup& group);

    /// @param group all replicas, which have committed all requests: check their leader
    void NoteLeadership(const ReplicaGroup& group);

    /// @param group all replicas, which have just made progress: set the deadline
    void Wait(const ReplicaGroup& group);

    bool IsHealed() const; //!< @return whether all requirements are met

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
