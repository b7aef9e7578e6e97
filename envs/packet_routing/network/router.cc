// SPDX-License-Identifier: GPL-2.0-only

#include "router.h"

#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(Router);

OutputPort::OutputPort(const Description& description)
    : m_description(description)
{
    description.device->TraceConnectWithoutContext(
        "PhyTxBegin",
        MakeCallback(&OutputPort::NotifyTransmission, this));
}

const OutputPort::Description&
OutputPort::Get() const
{
    return m_description;
}

void
OutputPort::NotifyTransmission(Ptr<const Packet> packet)
{
    m_idleFrom = Simulator::Now() + GetTransmissionTime(packet->GetSize());
}

bool
OutputPort::IsUp() const
{
    return m_description.ipv4->IsUp(m_description.interface);
}

bool
OutputPort::Accepts() const
{
    return IsUp() && CountWaiting() < m_description.buffer;
}

uint32_t
OutputPort::CountWaiting() const
{
    return m_description.device->GetQueue()->GetNPackets();
}

Time
OutputPort::GetWaitingTime() const
{
    const auto rest = Max(m_idleFrom - Simulator::Now(), Time(0));
    const auto waiting = m_description.device->GetQueue()->GetNBytes();
    return waiting == 0 ? rest : rest + m_description.rate.CalculateBytesTxTime(waiting);
}

Time
OutputPort::GetHopDelay(uint32_t bytes) const
{
    return GetWaitingTime() + GetTransmissionTime(bytes) + m_description.propagation;
}

Time
OutputPort::GetTransmissionTime(uint32_t bytes) const
{
    if (bytes != m_bytes)
    {
        m_bytes = bytes;
        m_transmission = m_description.rate.CalculateBytesTxTime(bytes);
    }
    return m_transmission;
}

TypeId
Router::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PacketRouter")
                            .SetParent<Object>()
                            .SetGroupName("defiance")
                            .AddConstructor<Router>()
                            .AddTraceSource("Hop",
                                            "A packet is forwarded, or lost here.",
                                            MakeTraceSourceAccessor(&Router::m_hopTrace),
                                            "ns3::Router::HopTracedCallback")
                            .AddTraceSource("Loss",
                                            "A forwarded packet is lost.",
                                            MakeTraceSourceAccessor(&Router::m_lossTrace),
                                            "ns3::TracedCallback");
    return tid;
}

void
Router::DoDispose()
{
    m_ports.clear();
    m_chooser = nullptr;
    m_received = nullptr;
    Object::DoDispose();
}

void
Router::SetNumber(uint32_t number, const LinkGraph& graph)
{
    m_number = number;
    m_graph = &graph;
}

void
Router::AddPort(Ptr<OutputPort> port)
{
    m_ports.push_back(port);
}

void
Router::SetChooser(Chooser chooser)
{
    m_chooser = std::move(chooser);
}

uint32_t
Router::GetNumber() const
{
    return m_number;
}

const LinkGraph&
Router::GetGraph() const
{
    return *m_graph;
}

const std::vector<Ptr<OutputPort>>&
Router::GetPorts() const
{
    return m_ports;
}

Ptr<OutputPort>
Router::FindPort(Ptr<const NetDevice> device) const
{
    const auto found = std::find_if(m_ports.begin(), m_ports.end(), [device](const auto& port) {
        return port->Get().device == device;
    });
    return found == m_ports.end() ? nullptr : *found;
}

std::optional<uint32_t>
Router::Choose(const RoutedPacket& packet) const
{
    return m_chooser ? m_chooser(packet) : std::nullopt;
}

bool
Router::Send(const RoutedPacket& packet, uint32_t port)
{
    Hop hop{packet};
    const bool usable = port < m_ports.size() && m_ports[port]->IsUp();
    if (usable && m_ports[port]->Accepts())
    {
        hop.port = port;
        hop.delay = m_ports[port]->GetHopDelay(packet.bytes).GetSeconds();
    }
    m_hopTrace(hop);
    return usable;
}

void
Router::NotifyLoss()
{
    m_lossTrace();
}

void
Router::Observe()
{
    m_observes = true;
    const auto ipv4 = GetObject<Ipv4L3Protocol>();
    ipv4->TraceConnectWithoutContext("SendOutgoing", MakeCallback(&Router::NotifySent, this));
    ipv4->TraceConnectWithoutContext("UnicastForward", MakeCallback(&Router::NotifySent, this));
    ipv4->TraceConnectWithoutContext("Rx", MakeCallback(&Router::NotifyReceived, this));
    ipv4->TraceConnectWithoutContext("Drop", MakeCallback(&Router::NotifyDropped, this));
}

void
Router::NotifyUnsent(const RoutedPacket& packet)
{
    if (m_observes)
    {
        Choose(packet);
        m_hopTrace({packet});
    }
}

void
Router::NotifyExpired(Ptr<const NetDevice> device)
{
    const auto channel = device->GetChannel();
    for (std::size_t i = 0; i < channel->GetNDevices(); i++)
    {
        const auto sender = channel->GetDevice(i);
        if (sender != device)
        {
            sender->GetNode()->GetObject<Router>()->NotifyLoss();
        }
    }
}

void
Router::NotifyReceived(Ptr<const Packet>, Ptr<Ipv4> ipv4, uint32_t interface)
{
    m_received = ipv4->GetNetDevice(interface);
}

void
Router::NotifyDropped(const Ipv4Header& header,
                      Ptr<const Packet> packet,
                      Ipv4L3Protocol::DropReason reason,
                      Ptr<Ipv4>,
                      uint32_t)
{
    const auto routed = RoutedPacket::Read(packet, header, RoutedPacket::RECEIVED);
    if (!routed)
    {
        return;
    }
    if (reason == Ipv4L3Protocol::DROP_TTL_EXPIRED)
    {
        NotifyExpired(m_received);
    }
    if (reason == Ipv4L3Protocol::DROP_NO_ROUTE || reason == Ipv4L3Protocol::DROP_ROUTE_ERROR)
    {
        NotifyUnsent(*routed);
    }
}

void
Router::NotifySent(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface)
{
    const auto routed = RoutedPacket::Read(packet, header, RoutedPacket::FORWARDED);
    if (!routed)
    {
        return;
    }
    Choose(*routed);
    for (uint32_t port = 0; port < m_ports.size(); port++)
    {
        if (m_ports[port]->Get().interface == interface)
        {
            Send(*routed, port);
        }
    }
}

} // namespace ns3
