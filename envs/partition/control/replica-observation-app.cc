// SPDX-License-Identifier: GPL-2.0-only

#include "replica-observation-app.h"

#include "replica-tag.h"

#include "ns3/hash.h"
#include "ns3/simulator.h"

#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param packet A message.
 * @return a hash of the message's bytes
 */
uint64_t
HashContent(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return Hash64(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

} // namespace

ReplicaObservationApp::ReplicaObservationApp(Ptr<ReplicaApplication> replica,
                                             Ptr<PartitionFilter> filter,
                                             bool recordsMessages)
    : m_replica(replica),
      m_filter(filter),
      m_recordsMessages(recordsMessages)
{
}

void
ReplicaObservationApp::DoDispose()
{
    m_replica = nullptr;
    m_filter = nullptr;
    ObservationApplication::DoDispose();
}

void
ReplicaObservationApp::RegisterCallbacks()
{
    using OnMessage = Callback<void, uint32_t, Ptr<const Packet>>;
    const auto connect = [](Ptr<Object> source, const char* name, const CallbackBase& callback) {
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
    connect(m_replica, "Failure", Callback<void, const std::string&>([this](const auto& reason) {
                m_report.failure = reason;
            }));
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

void
ReplicaObservationApp::Report(uint64_t tick, bool refused)
{
    m_report.tick = tick;
    m_report.refused = refused;
    m_report.replica = m_replica->GetId();
    NoteState();
    NotePending();
    Send(std::exchange(m_report, {}).Encode());
}

void
ReplicaObservationApp::NoteState()
{
    m_report.state = m_replica->Snapshot();
    auto& log = m_report.state.log;
    m_report.kept = CountCommon(m_log, log);
    m_log = log;
    log.erase(log.begin(), log.begin() + m_report.kept);
}

void
ReplicaObservationApp::NotePending()
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

void
ReplicaObservationApp::Record(MessageEvent::Kind kind, Ptr<const Packet> packet)
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

} // namespace ns3
