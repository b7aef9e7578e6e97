// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_ACTION_APP_H
#define REPLICA_ACTION_APP_H

#include "partition-filter.h"
#include "replica-application.h"
#include "replica-messages.h"

#include "ns3/action-application.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @brief Does with its node's replica what a controller commands: the hand at the power switch, at
 * the interceptor and at the cable.
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
     * @param filter What cuts it off from others.
     */
    void SetReplica(Ptr<ReplicaApplication> replica, Ptr<PartitionFilter> filter);

    /**
     * TracedCallback signature of Ticked.
     * @param [in] tick number of the tick that has passed
     * @param [in] refused whether the replica has not taken a request in it
     */
    typedef void (*TickedTracedCallback)(uint64_t tick, bool refused);

  private:
    void DoDispose() override;
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;

    /**
     * Discard and release messages, in this order; some may be gone with a process that crashed.
     *
     * @param command Which.
     */
    void Handle(const ReplicaCommand& command);

    /**
     * Start, stop or change the replica.
     *
     * @param power What becomes of it.
     */
    void Switch(ReplicaCommand::Power power);

    Time m_tickInterval;                          //!< Simulated time of a tick
    Ptr<ReplicaApplication> m_replica;            //!< Of its node
    Ptr<PartitionFilter> m_filter;                //!< Of its node
    TracedCallback<uint64_t, bool> m_tickedTrace; //!< A tick has passed
};

} // namespace ns3

#endif // REPLICA_ACTION_APP_H
