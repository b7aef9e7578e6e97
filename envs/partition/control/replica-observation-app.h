// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_OBSERVATION_APP_H
#define REPLICA_OBSERVATION_APP_H

#include "partition-filter.h"
#include "replica-application.h"
#include "replica-messages.h"

#include "ns3/observation-application.h"

#include <string>

namespace ns3
{

/**
 * @brief Reports to a controller after each tick: the state of its node's replica, its acts, and
 * the messages that have arrived for it.
 */
class ReplicaObservationApp : public ObservationApplication
{
  public:
    /**
     * @param replica The replica.
     * @param filter The filter that cuts the replica off from others.
     * @param recordsMessages Whether reports have the fate of each message.
     */
    ReplicaObservationApp(Ptr<ReplicaApplication> replica,
                          Ptr<PartitionFilter> filter,
                          bool recordsMessages);

    /**
     * Report a tick.
     *
     * @param tick Number of the tick.
     * @param refused Whether the replica has refused a request in the tick.
     */
    void Report(uint64_t tick, bool refused);

  private:
    void DoDispose() override;
    void RegisterCallbacks() override;

    void NoteState();   //!< Add the replica's state, without known entries
    void NotePending(); //!< Add the messages held since the last report

    /**
     * Record the fate of a message, if enabled.
     *
     * @param kind The event.
     * @param packet The message.
     */
    void Record(MessageEvent::Kind kind, Ptr<const Packet> packet);

    Ptr<ReplicaApplication> m_replica; //!< Replica on the node
    Ptr<PartitionFilter> m_filter;     //!< Filter on the node
    bool m_recordsMessages;            //!< Whether reports have each message
    std::vector<ReplicaEntry> m_log;   //!< Log as last reported
    uint64_t m_newest{0};              //!< Number of the newest reported message
    ReplicaReport m_report;            //!< Next report
};

} // namespace ns3

#endif // REPLICA_OBSERVATION_APP_H
