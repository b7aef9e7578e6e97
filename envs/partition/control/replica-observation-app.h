// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_OBSERVATION_APP_H
#define REPLICA_OBSERVATION_APP_H

#include "replica-action-app.h"
#include "replica-application.h"

#include "ns3/observation-application.h"

namespace ns3
{

/**
 * @brief Tells a controller after each tick what state its node's replica is in, and which messages
 * are held for it.
 */
class ReplicaObservationApp : public ObservationApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param replica Which replica.
     * @param clock Says when a tick has passed.
     */
    void SetReplica(Ptr<ReplicaApplication> replica, Ptr<ReplicaActionApp> clock);

  private:
    void DoDispose() override;
    void RegisterCallbacks() override;

    /**
     * Tell of a tick.
     *
     * @param tick Its number.
     */
    void Report(uint64_t tick);

    Ptr<ReplicaApplication> m_replica; //!< Of its node
    Ptr<ReplicaActionApp> m_clock;     //!< Says when a tick has passed
};

} // namespace ns3

#endif // REPLICA_OBSERVATION_APP_H
