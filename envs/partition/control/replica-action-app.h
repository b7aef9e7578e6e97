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
 * @brief Executes a controller's commands at its node's replica: it controls the process, the
 * interceptor and the network filter.
 */
class ReplicaActionApp : public ActionApplication
{
  public:
    /// Called after a tick, with its number, and whether a request was refused in it.
    using Ticked = std::function<void(uint64_t tick, bool refused)>;

    /**
     * @param replica The replica.
     * @param filter The filter that cuts the replica off from others.
     * @param tickInterval Simulated time of a tick.
     * @param ticked Called after each tick.
     */
    ReplicaActionApp(Ptr<ReplicaApplication> replica,
                     Ptr<PartitionFilter> filter,
                     Time tickInterval,
                     Ticked ticked);

  private:
    void DoDispose() override;
    void ExecuteAction(uint32_t remoteAppId, Ptr<OpenGymDictContainer> action) override;

    /**
     * Discard and release messages, in this order; messages of a crashed process may be gone.
     *
     * @param command The command.
     */
    void Handle(const ReplicaCommand& command);

    /**
     * Start, stop or change the replica.
     *
     * @param command The command.
     */
    void Switch(const ReplicaCommand& command);

    /**
     * @param command The command.
     * @return the number of calls of the replica in the tick; with a network that delivers messages
     * on arrival, one more for each replica
     */
    uint32_t CountCalls(const ReplicaCommand& command) const;

    Ptr<ReplicaApplication> m_replica; //!< Replica on the node
    Ptr<PartitionFilter> m_filter;     //!< Filter on the node
    Time m_tickInterval;               //!< Simulated time of a tick
    Ticked m_ticked;                   //!< Called after each tick
};

} // namespace ns3

#endif // REPLICA_ACTION_APP_H
