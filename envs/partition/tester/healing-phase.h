// SPDX-License-Identifier: GPL-2.0-only

#ifndef HEALING_PHASE_H
#define HEALING_PHASE_H

#include "replica-protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The requirement while all replicas run on whole links: every replica gets every committed
 * entry, and new requests are committed.
 *
 * A client sends a request, and a second one when all replicas have committed the first: a replica
 * that makes progress once may stop afterwards. If a request is not committed, the client sends
 * another one after a while, because a replaced leader loses requests. Byzantine replicas need not
 * commit anything.
 */
class HealingPhase
{
  public:
    /**
     * @param protocol Protocol of the replicas; it lives as long as this object.
     * @param group All replicas at the begin of the phase.
     * @param ticks Ticks until the deadline.
     */
    HealingPhase(const ReplicaProtocol& protocol, const ReplicaGroup& group, uint32_t ticks);

    bool WantsRequest() const; //!< @return whether the client sends a request at the next tick

    /**
     * Check the replicas after a tick.
     *
     * @param group All replicas.
     * @param taken Number of the request taken in this tick; 0: none.
     */
    void NoteTick(const ReplicaGroup& group, uint32_t taken);

    bool IsOver() const; //!< @return whether the replicas are healed or time is up

    /**
     * @return missing results: `convergence` or `liveness`, a colon, and the replicas and entries;
     * empty if the replicas are healed
     */
    std::vector<std::string> FindViolations() const;

  private:
    /**
     * @param state State of a replica.
     * @return number of its committed entries
     */
    std::size_t CountCommitted(const ReplicaState& state) const;

    /**
     * Find a new request among the entries that a replica has committed since the last tick.
     *
     * @param index Number of the replica, from 0.
     * @param state State of the replica.
     */
    void FindRequest(std::size_t index, const ReplicaState& state);

    /**
     * @param index Number of a replica, from 0.
     * @return whether it has committed all required entries
     */
    bool HasReached(std::size_t index) const;

    const ReplicaProtocol& m_protocol;    //!< Protocol of the replicas
    uint32_t m_limit;                     //!< Maximum number of ticks
    uint32_t m_ticks{0};                  //!< Ticks so far
    uint32_t m_pause{0};                  //!< Ticks until the client hands over another request
    uint32_t m_requests{0};               //!< Requests committed by all replicas
    uint32_t m_first;                     //!< Lowest number of the next request
    bool m_isCommitted{false};            //!< A replica has committed the next request
    std::size_t m_goal{0};                //!< Entries to commit at all replicas
    std::vector<std::size_t> m_committed; //!< Number of committed entries by replica
    std::vector<bool> m_byzantine;        //!< Replicas that need not commit
};

} // namespace ns3

#endif // HEALING_PHASE_H
