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
 * @brief The requirement while all replicas run and all links are whole: every replica reaches
 * every committed entry, and new requests are committed.
 *
 * A client hands over a request, and a second one when all replicas have committed the first: a
 * replica that makes progress once may stand still afterwards. If a request is not committed, the
 * client sends another one after a while, because a leader that is replaced loses requests.
 * Byzantine replicas need not commit anything.
 */
class HealingPhase
{
  public:
    /**
     * @param protocol Protocol of the replicas; it lives as long as this.
     * @param group All replicas when the phase begins.
     * @param ticks Ticks within which all of that must happen.
     */
    HealingPhase(const ReplicaProtocol& protocol, const ReplicaGroup& group, uint32_t ticks);

    bool WantsRequest() const; //!< @return whether the client hands over a request at the next tick

    /**
     * Look at the replicas after a tick.
     *
     * @param group All replicas.
     * @param taken Number of the request that they have taken in this tick; 0: none.
     */
    void NoteTick(const ReplicaGroup& group, uint32_t taken);

    bool IsOver() const; //!< @return whether the replicas are healed, or the ticks have passed

    /**
     * @return what has not happened: `convergence` or `liveness`, a colon, and which replicas and
     * entries; empty if the replicas are healed
     */
    std::vector<std::string> FindViolations() const;

  private:
    /**
     * @param state State of a replica.
     * @return how many entries it has committed
     */
    std::size_t CountCommitted(const ReplicaState& state) const;

    /**
     * Look for a new request among the entries that a replica has committed since the last tick.
     *
     * @param index Number of the replica, from 0 on.
     * @param state State of the replica.
     */
    void FindRequest(std::size_t index, const ReplicaState& state);

    /**
     * @param index Number of a replica, from 0 on.
     * @return whether it has committed all that it must
     */
    bool HasReached(std::size_t index) const;

    const ReplicaProtocol& m_protocol;    //!< Of the replicas
    uint32_t m_limit;                     //!< Ticks of the phase, at most
    uint32_t m_ticks{0};                  //!< Ticks so far
    uint32_t m_pause{0};                  //!< Ticks until the client hands over another request
    uint32_t m_requests{0};               //!< Requests that all replicas have committed
    uint32_t m_first;                     //!< The next request has this number, or a larger one
    bool m_isCommitted{false};            //!< A replica has committed the next request
    std::size_t m_goal{0};                //!< Entries that all replicas must commit
    std::vector<std::size_t> m_committed; //!< By replica: entries that it has committed
    std::vector<bool> m_byzantine;        //!< By replica: it need not commit anything
};

} // namespace ns3

#endif // HEALING_PHASE_H
