// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_ACTION_APP_H
#define REPLICA_ACTION_APP_H

#include "replica-application.h"
#include "replica-messages.h"

#include "ns3/action-application.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @brief Does with its node's replica what a controller commands: the hand at the power switch and
 * at the interceptor.
 */
class ReplicaActionApp : public ActionApplication
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param replica Which replica.
     */
    void SetReplica(Ptr<ReplicaApplication> replica);

    /**
     * TracedCallback signature of Ticked.
     * @param [in] tick number of the tick that has passed
     */
    typedef void (*TickedTracedCallback)(uint64_t tick);

  private:
    void DoDispose() override;
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;

    /**
     * Start or stop the replica.
     *
     * @param power What becomes of it.
     */
    void Switch(ReplicaCommand::Power power);

    Time m_tickInterval;                    //!< Simulated time of a tick
    Ptr<ReplicaApplication> m_replica;      //!< Of its node
    TracedCallback<uint64_t> m_tickedTrace; //!< A tick has passed
};

} // namespace ns3

#endif // REPLICA_ACTION_APP_H
