// SPDX-License-Identifier: GPL-2.0-only

#include "packet-source.h"

#include "router-network.h"
#include "router.h"

#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint16_t PORT = 40'000;           //!< Port of all sinks
constexpr int64_t TRAFFIC_STREAM = 100'000; //!< Streams of the first router, three each
constexpr uint32_t MOST_PAYLOAD = 60'000;   //!< Bytes; exponential sizes practically never have

} // namespace

void
PacketSource::DoDispose()
{
    m_next.Cancel();
    m_toggle.Cancel();
    m_socket = nullptr;
    m_sink = nullptr;
    Application::DoDispose();
}

void
PacketSource::SetRouter(uint32_t router, double x, uint32_t hopLimit)
{
    m_router = router;
    m_x = x;
    m_hopLimit = static_cast<uint8_t>(hopLimit);
    int64_t stream = TRAFFIC_STREAM + 3 * int64_t(router);
    for (auto* variable : {&m_times, &m_sizes, &m_toggles})
    {
        *variable = CreateObject<UniformRandomVariable>();
        (*variable)->SetStream(stream++);
    }
}

void
PacketSource::SetTraffic(const TrafficParameters& parameters,
                         const TrafficMatrix& matrix,
                         PacketLedger& ledger)
{
    m_parameters = &parameters;
    m_matrix = &matrix;
    m_ledger = &ledger;
}

void
PacketSource::StartApplication()
{
    m_sink = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    // IP records arrivals.
    m_sink->SetRecvCallback([](Ptr<Socket> socket) {
        while (socket->Recv())
        {
        }
    });
    m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    m_socket->Bind();
    m_socket->ShutdownRecv();
    m_socket->SetIpTtl(m_hopLimit);
    if (m_matrix->GetShare(m_router) <= 0)
    {
        return;
    }
    if (m_parameters->pattern == "on-off")
    {
        const auto on = m_parameters->onTime.GetSeconds();
        m_on = m_toggles->GetValue() >= on / (on + m_parameters->offTime.GetSeconds());
        Toggle();
    }
    ScheduleNext();
}

void
PacketSource::StopApplication()
{
    m_next.Cancel();
    m_toggle.Cancel();
}

double
PacketSource::Draw()
{
    return m_times->GetValue();
}

double
PacketSource::DrawExponential()
{
    return -std::log1p(-Draw());
}

void
PacketSource::Toggle()
{
    m_on = !m_on;
    const auto mean = m_on ? m_parameters->onTime : m_parameters->offTime;
    const auto lasts = -std::log1p(-m_toggles->GetValue()) * mean.GetSeconds();
    m_toggle = Simulator::Schedule(Seconds(lasts), &PacketSource::Toggle, this);
}

void
PacketSource::ScheduleNext()
{
    // Candidates at the highest rate, of which the present rate's share is accepted.
    auto highest = m_parameters->rate * m_matrix->GetShare(m_router);
    if (m_parameters->day.IsStrictlyPositive())
    {
        highest *= 1 + m_parameters->dayAmplitude;
    }
    if (m_parameters->pattern == "on-off")
    {
        const auto on = m_parameters->onTime.GetSeconds();
        highest *= (on + m_parameters->offTime.GetSeconds()) / on;
    }
    m_next = Simulator::Schedule(Seconds(DrawExponential() / highest), &PacketSource::Enter, this);
}

void
PacketSource::Enter()
{
    bool enters = m_on;
    if (m_parameters->day.IsStrictlyPositive())
    {
        const auto factor = m_parameters->GetFactor(Simulator::Now(), m_x);
        enters = Draw() * (1 + m_parameters->dayAmplitude) < factor && enters;
    }
    ScheduleNext();
    if (enters)
    {
        SendPacket();
    }
}

uint32_t
PacketSource::DrawPayload(Ptr<UniformRandomVariable> variable, const TrafficParameters& parameters)
{
    double size = parameters.packetSize;
    if (parameters.sizes == "exponential")
    {
        size *= -std::log1p(-variable->GetValue());
    }
    const auto payload = std::round(size) - RoutedPacket::HEADERS;
    return static_cast<uint32_t>(std::clamp<double>(payload, 0, MOST_PAYLOAD));
}

void
PacketSource::SendPacket()
{
    RoutedPacket routed;
    routed.source = m_router;
    routed.destination = m_matrix->DrawDestination(m_router, Draw());
    routed.created = Simulator::Now();
    routed.hopLimit = m_hopLimit;
    m_ledger->NotifyCreated(routed);
    const auto packet = Create<Packet>(DrawPayload(m_sizes, *m_parameters));
    packet->AddPacketTag(RoutedPacketTag(routed));
    const InetSocketAddress target(RouterNetwork::GetAddress(routed.destination), PORT);
    if (m_socket->SendTo(packet, 0, target) < 0)
    {
        m_ledger->NotifyLost(routed);
        GetNode()->GetObject<Router>()->NotifyUnsent(routed);
    }
}

} // namespace ns3
