// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_OBSERVATION_APP_H
#define REPLICA_OBSERVATION_APP_H

#include "partition-filter.h"
#include "replica-application.h"
#include "replica-messages.h"
#include "replica-tag.h"

#include "ns3/hash.h"
#include "ns3/observation-application.h"
#include "ns3/simulator.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param packet A message.
 * @return a hash of the message's bytes
 */
inline uint64_t
HashContent(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return Hash64(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

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
                          bool recordsMessages)
        : m_replica(replica),
          m_filter(filter),
          m_recordsMessages(recordsMessages)
    {
    }

    /**
     * Report a tick.
     *
     * @param tick Number of the tick.
     * @param refused Whether the replica has refused a request in the tick.
     */
    void Report(uint64_t tick, bool refused)
    {
        m_report.tick = tick;
        m_report.refused = refused;
        m_report.replica = m_replica->GetId();
        NoteState();
        NotePending();
        Send(std::exchange(m_report, {}).Encode());
    }

  private:
    void DoDispose() override
    {
        m_replica = nullptr;
        m_filter = nullptr;
        ObservationApplication::DoDispose();
    }

    void RegisterCallbacks() override
    {
        using OnMessage = Callback<void, uint32_t, Ptr<const Packet>>;
        const auto connect =
            [](Ptr<Object> source, const char* name, const CallbackBase& callback) {
                source->TraceConnectWithoutContext(name, callback);
            };
        const auto record = [this](MessageEvent::Kind kind, uint32_t ReplicaReport::*count) {
            return OnMessage([this, kind, count](uint32_t /* other */, Ptr<const Packet> packet) {
                m_report.*count += 1;
                Record(kind, packet);
            });
        };
        const auto interceptor = m_replica->GetInterceptor();
        connect(m_replica, "Event", Callback<void, const ReplicaEvent&>([this](const auto& event) {
                    m_report.events.push_back(event);
                }));
        connect(m_replica,
                "Failure",
                Callback<void, const std::string&>(
                    [this](const auto& reason) { m_report.failure = reason; }));
        connect(interceptor, "Release", record(MessageEvent::DELIVERED, &ReplicaReport::delivered));
        connect(m_filter, "Lose", record(MessageEvent::DROPPED, &ReplicaReport::cut));
        if (m_recordsMessages)
        {
            connect(m_replica, "Send", OnMessage([this](uint32_t, Ptr<const Packet> packet) {
                        Record(MessageEvent::SENT, packet);
                        m_report.messages.back().text = m_replica->Describe(packet);
                    }));
            connect(interceptor, "Hold", OnMessage([this](uint32_t, Ptr<const Packet> packet) {
                        Record(MessageEvent::ARRIVED, packet);
                    }));
            connect(interceptor, "Discard", OnMessage([this](uint32_t, Ptr<const Packet> packet) {
                        Record(MessageEvent::DROPPED, packet);
                    }));
        }
    }

    /// Add the replica's state, without known entries
    void NoteState()
    {
        m_report.state = m_replica->Snapshot();
        auto& log = m_report.state.log;
        m_report.kept = CountCommon(m_log, log);
        m_log = log;
        log.erase(log.begin(), log.begin() + m_report.kept);
    }

    /// Add the messages held since the last report
    void NotePending()
    {
        const auto& held = m_replica->GetInterceptor()->GetHeld();
        for (auto entry = held.upper_bound(m_newest); entry != held.end(); entry++)
        {
            const auto& [number, message] = *entry;
            m_newest = number;
            m_report.pending.push_back({.number = number,
                                        .from = message.from,
                                        .to = m_report.replica,
                                        .arrived = message.arrived.GetNanoSeconds(),
                                        .content = HashContent(message.packet)});
        }
    }

    /**
     * Record the fate of a message, if enabled.
     *
     * @param kind The event.
     * @param packet The message.
     */
    void Record(MessageEvent::Kind kind, Ptr<const Packet> packet)
    {
        ReplicaTag tag;
        if (m_recordsMessages && packet->PeekPacketTag(tag))
        {
            m_report.messages.push_back({.kind = kind,
                                         .from = tag.GetFrom(),
                                         .to = tag.GetTo(),
                                         .number = tag.GetNumber(),
                                         .time = Simulator::Now().GetNanoSeconds(),
                                         .text = {}});
        }
    }

    Ptr<ReplicaApplication> m_replica; //!< Replica on the node
    Ptr<PartitionFilter> m_filter;     //!< Filter on the node
    bool m_recordsMessages;            //!< Whether reports have each message
    std::vector<ReplicaEntry> m_log;   //!< Log as last reported
    uint64_t m_newest{0};              //!< Number of the newest reported message
    ReplicaReport m_report;            //!< Next report
};

} // namespace ns3

#endif // REPLICA_OBSERVATION_APP_H
