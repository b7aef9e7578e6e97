// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_ACTION_APP_H
#define REPLICA_ACTION_APP_H

#include "partition-filter.h"
#include "replica-application.h"
#include "replica-messages.h"

#include "ns3/action-application.h"
#include "ns3/nstime.h"

#include <functional>

namespace ns3
{

/**
 * @brief Does with its node's replica what a controller commands: the hand at the power switch, at
 * the interceptor and at the cable.
 */
class ReplicaActionApp : public ActionApplication
{
  public:
    /// Called after a tick has passed, with its number, and whether a request was refused in it.
    using Ticked = std::function<void(uint64_t tick, bool refused)>;

    /**
     * @param replica Which replica.
     * @param filter The filter that cuts it off from others.
     * @param tickInterval Simulated time of a tick.
     * @param ticked Called when a tick has passed.
     */
    ReplicaActionApp(Ptr<ReplicaApplication> replica,
                     Ptr<PartitionFilter> filter,
                     Time tickInterval,
                     Ticked ticked);

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
     * @param power The change of the process.
     */
    void Switch(ReplicaCommand::Power power);

    Ptr<ReplicaApplication> m_replica; //!< Of its node
    Ptr<PartitionFilter> m_filter;     //!< Of its node
    Time m_tickInterval;               //!< Simulated time of a tick
    Ticked m_ticked;                   //!< Called when a tick has passed
};

} // namespace ns3

#endif // REPLICA_ACTION_APP_H
