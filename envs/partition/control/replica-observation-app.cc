// SPDX-License-Identifier: GPL-2.0-only

#include "replica-observation-app.h"

#include "replica-messages.h"

#include "ns3/hash.h"

#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReplicaObservationApp);

namespace
{

/**
 * @param packet A message.
 * @return a hash of its bytes
 */
uint64_t
HashContent(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return Hash64(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

} // namespace

TypeId
ReplicaObservationApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ReplicaObservationApp")
                            .SetParent<ObservationApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<ReplicaObservationApp>();
    return tid;
}

void
ReplicaObservationApp::SetReplica(Ptr<ReplicaApplication> replica, Ptr<ReplicaActionApp> clock)
{
    m_replica = replica;
    m_clock = clock;
}

void
ReplicaObservationApp::DoDispose()
{
    m_replica = nullptr;
    m_clock = nullptr;
    ObservationApplication::DoDispose();
}

void
ReplicaObservationApp::RegisterCallbacks()
{
    m_clock->TraceConnectWithoutContext("Ticked",
                                        MakeCallback(&ReplicaObservationApp::Report, this));
}

void
ReplicaObservationApp::Report(uint64_t tick)
{
    const auto id = m_replica->GetId();
    ReplicaReport report{.tick = tick,
                         .replica = id,
                         .state = m_replica->Snapshot(),
                         .pending = {}};
    for (const auto& [number, message] : m_replica->GetInterceptor()->GetHeld())
    {
        report.pending.push_back({.number = number,
                                  .from = message.from,
                                  .to = id,
                                  .arrived = message.arrived.GetNanoSeconds(),
                                  .content = HashContent(message.packet)});
    }
    Send(report.Encode());
}

} // namespace ns3
