// SPDX-License-Identifier: GPL-2.0-only

#include "chosen-routing.h"

#include "ns3/ipv4-route.h"

#include <utility>

namespace ns3
{

TypeId
ChosenRouting::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ChosenRouting").SetParent<Ipv4RoutingProtocol>().SetGroupName("defiance");
    return tid;
}

ChosenRouting::ChosenRouting(Ptr<Ipv4RoutingProtocol> other,
                             Ptr<Router> router,
                             Resizer resizer,
                             DropCallback dropped)
    : m_other(other),
      m_router(router),
      m_resizer(std::move(resizer)),
      m_dropped(std::move(dropped))
{
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

Ptr<Ipv4Route>
ChosenRouting::RouteOutput(Ptr<Packet> packet,
                           const Ipv4Header& header,
                           Ptr<NetDevice> device,
                           Socket::SocketErrno& error)
{
    if (const auto routed = RoutedPacket::Read(packet, header, RoutedPacket::ENTERING))
    {
        if (const auto route = Decide(*routed, header.GetDestination()))
        {
            error = *route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
            return *route;
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
    const auto route =
        Decide(*RoutedPacket::Read(sent, header, RoutedPacket::RECEIVED), header.GetDestination());
    if (!route)
    {
        return m_other->RouteInput(sent, sentHeader, device, forward, forwardToMany, deliver, fail);
    }
    if (*route)
    {
        forward(*route, sent, sentHeader);
    }
    else
    {
        m_dropped(*routed);
    }
    return true;
}

std::optional<Ptr<Ipv4Route>>
ChosenRouting::Decide(const RoutedPacket& packet, Ipv4Address destination)
{
    const auto port = m_router->Choose(packet);
    if (!port)
    {
        return std::nullopt;
    }
    return m_router->Send(packet, *port) ? MakeRoute(*m_router->GetPorts()[*port], destination)
                                         : nullptr;
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
