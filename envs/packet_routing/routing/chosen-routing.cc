// SPDX-License-Identifier: GPL-2.0-only

#include "chosen-routing.h"

#include "ns3/ipv4-route.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ChosenRouting);

TypeId
ChosenRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ChosenRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("defiance")
                            .AddConstructor<ChosenRouting>();
    return tid;
}

void
ChosenRouting::DoDispose()
{
    if (m_other)
    {
        m_other->Dispose();
    }
    m_ipv4 = nullptr;
    m_other = nullptr;
    m_router = nullptr;
    m_resizer = nullptr;
    m_dropped = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

void
ChosenRouting::SetOther(Ptr<Ipv4RoutingProtocol> other)
{
    m_other = other;
}

void
ChosenRouting::SetRouter(Ptr<Router> router)
{
    m_router = router;
}

void
ChosenRouting::SetResizer(Resizer resizer)
{
    m_resizer = std::move(resizer);
}

void
ChosenRouting::SetDropCallback(DropCallback dropped)
{
    m_dropped = std::move(dropped);
}

Ptr<Ipv4Route>
ChosenRouting::RouteOutput(Ptr<Packet> packet,
                           const Ipv4Header& header,
                           Ptr<NetDevice> device,
                           Socket::SocketErrno& error)
{
    if (const auto routed = RoutedPacket::Read(packet, header, RoutedPacket::ENTERING))
    {
        const auto verdict = Decide(*routed, header.GetDestination());
        if (verdict.chosen)
        {
            error = verdict.route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
            return verdict.route;
        }
    }
    return m_other->RouteOutput(packet, header, device, error);
}

bool
ChosenRouting::RouteInput(Ptr<const Packet> packet,
                          const Ipv4Header& header,
                          Ptr<const NetDevice> device,
                          const UnicastForwardCallback& forward,
                          const MulticastForwardCallback& forwardToMany,
                          const LocalDeliverCallback& deliver,
                          const ErrorCallback& fail)
{
    const auto routed = RoutedPacket::Read(packet, header, RoutedPacket::RECEIVED);
    if (!routed || routed->destination == m_router->GetNumber())
    {
        return m_other->RouteInput(packet, header, device, forward, forwardToMany, deliver, fail);
    }
    if (header.GetTtl() <= 1)
    {
        DropExpired(*routed, device);
        return true;
    }
    auto sentHeader = header;
    const auto sent = Resize(packet, sentHeader);
    const auto verdict =
        Decide(*RoutedPacket::Read(sent, header, RoutedPacket::RECEIVED), header.GetDestination());
    if (!verdict.chosen)
    {
        return m_other->RouteInput(sent, sentHeader, device, forward, forwardToMany, deliver, fail);
    }
    if (verdict.route)
    {
        forward(verdict.route, sent, sentHeader);
    }
    else
    {
        m_dropped(*routed);
    }
    return true;
}

ChosenRouting::Verdict
ChosenRouting::Decide(const RoutedPacket& packet, Ipv4Address destination)
{
    const auto port = m_router->Choose(packet);
    if (!port)
    {
        return {};
    }
    if (m_router->Send(packet, *port))
    {
        return {true, MakeRoute(*m_router->GetPorts()[*port], destination)};
    }
    return {true, nullptr};
}

Ptr<Ipv4Route>
ChosenRouting::MakeRoute(const OutputPort& port, Ipv4Address destination) const
{
    const auto& description = port.Get();
    const auto route = Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetSource(m_ipv4->GetAddress(description.interface, 0).GetLocal());
    route->SetGateway(description.gateway);
    route->SetOutputDevice(description.device);
    return route;
}

Ptr<const Packet>
ChosenRouting::Resize(Ptr<const Packet> packet, Ipv4Header& header) const
{
    if (!m_resizer)
    {
        return packet;
    }
    const auto resized = packet->Copy();
    const auto bytes = m_resizer() + RoutedPacket::UDP_HEADER;
    if (bytes < resized->GetSize())
    {
        resized->RemoveAtEnd(resized->GetSize() - bytes);
    }
    else
    {
        resized->AddPaddingAtEnd(bytes - resized->GetSize());
    }
    header.SetPayloadSize(static_cast<uint16_t>(resized->GetSize()));
    return resized;
}

void
ChosenRouting::DropExpired(const RoutedPacket& packet, Ptr<const NetDevice> device) const
{
    m_dropped(packet);
    Router::NotifyExpired(device);
}

void
ChosenRouting::NotifyInterfaceUp(uint32_t interface)
{
    m_other->NotifyInterfaceUp(interface);
}

void
ChosenRouting::NotifyInterfaceDown(uint32_t interface)
{
    m_other->NotifyInterfaceDown(interface);
}

void
ChosenRouting::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    m_other->NotifyAddAddress(interface, address);
}

void
ChosenRouting::NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    m_other->NotifyRemoveAddress(interface, address);
}

void
ChosenRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_ipv4 = ipv4;
}

void
ChosenRouting::PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const
{
    m_other->PrintRoutingTable(stream, unit);
}

} // namespace ns3
