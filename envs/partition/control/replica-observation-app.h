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
 * @brief Tells a controller after each tick what state its node's replica is in, what it has done,
 * and which messages are held for it.
 */
class ReplicaObservationApp : public ObservationApplication
{
  public:
    /**
     * @param replica Which replica.
     * @param filter The filter that cuts it off from others.
     * @param recordsMessages Whether reports tell what has become of each message.
     */
    ReplicaObservationApp(Ptr<ReplicaApplication> replica,
                          Ptr<PartitionFilter> filter,
                          bool recordsMessages);

    /**
     * Report a tick.
     *
     * @param tick Its number.
     * @param refused Whether the replica has not taken a request in it.
     */
    void Report(uint64_t tick, bool refused);

  private:
    void DoDispose() override;
    void RegisterCallbacks() override;

    void NoteState();   //!< Add the replica's state, as far as it is new
    void NotePending(); //!< Add what is held to the report

    void NoteEvent(const ReplicaEvent& event);             //!< @param event what it has done
    void NoteFailure(const std::string& reason);           //!< @param reason why it has crashed
    void NoteSent(uint32_t to, Ptr<const Packet> packet);  //!< @copydoc NoteDelivered
    void NoteCut(uint32_t from, Ptr<const Packet> packet); //!< @copydoc NoteDelivered
    /**
     * Note what has become of a message.
     *
     * @param from Number of the replica at its other end.
     * @param packet The message.
     */
    void NoteDelivered(uint32_t from, Ptr<const Packet> packet);

    /**
     * Record what has become of a message, if that is recorded.
     *
     * @param kind The event.
     * @param other Number of the replica at its other end.
     * @param packet The message.
     */
    void Record(MessageEvent::Kind kind, uint32_t other, Ptr<const Packet> packet);

    Ptr<ReplicaApplication> m_replica; //!< Of its node
    Ptr<PartitionFilter> m_filter;     //!< Of its node
    bool m_recordsMessages;            //!< Whether reports tell of each message
    std::vector<ReplicaEntry> m_log;   //!< Of the replica, as it was reported last
    ReplicaReport m_report;            //!< The next one
};

} // namespace ns3

#endif // REPLICA_OBSERVATION_APP_H
