// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHOSEN_ROUTING_H
#define CHOSEN_ROUTING_H

#include "router.h"

#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/object-type.h"

#include <functional>
#include <optional>
#include <utility>

namespace ns3
{

/**
 * @brief Routes packets of the traffic by the chooser of the node's Router, within IP's call for a
 * route, and all other packets by another protocol.
 *
 * Without a choice, the other protocol decides, too. A packet is dropped if
 * the chosen port does not exist, or its link has failed. An observer calls the chooser without
 * effect, and reports the decisions of the other protocol.
 */
class ChosenRouting : public Ipv4RoutingProtocol
{
  public:
    /// Returns the new payload of a packet in bytes.
    using Resizer = std::function<uint32_t()>;
    /// Called with a packet that is dropped here after crossing a link.
    using DropCallback = std::function<void(const RoutedPacket&)>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param other Routes packets without a choice; it has the node's IP already.
     * @param router Router of the node.
     * @param resizer Draws the new size of each forwarded packet; empty: packets keep their size.
     * @param dropped Called with each packet that is dropped here after crossing a link.
     * @param isObserver Whether the other protocol decides in any case.
     */
    ChosenRouting(Ptr<Ipv4RoutingProtocol> other,
                  Ptr<Router> router,
                  Resizer resizer,
                  DropCallback dropped,
                  bool isObserver)
        : m_other(other),
          m_router(router),
          m_resizer(std::move(resizer)),
          m_dropped(std::move(dropped)),
          m_isObserver(isObserver)
    {
    }

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv4Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override
    {
        if (const auto routed = RoutedPacket::Read(packet, header, false))
        {
            if (m_isObserver)
            {
                const auto route = m_other->RouteOutput(packet, header, device, error);
                Report(*routed, route);
                return route;
            }
            if (const auto route = Decide(*routed, header.GetDestination()))
            {
                error = *route ? Socket::ERROR_NOTERROR : Socket::ERROR_NOROUTETOHOST;
                return *route;
            }
        }
        return m_other->RouteOutput(packet, header, device, error);
    }

    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    const UnicastForwardCallback& forward,
                    const MulticastForwardCallback& forwardToMany,
                    const LocalDeliverCallback& deliver,
                    const ErrorCallback& fail) override
    {
        const auto routed = RoutedPacket::Read(packet, header, true);
        if (!routed || routed->destination == m_router->GetNumber())
        {
            return m_other
                ->RouteInput(packet, header, device, forward, forwardToMany, deliver, fail);
        }
        const bool isExpired = header.GetTtl() <= 1;
        if (m_isObserver)
        {
            bool isForwarded = false;
            const UnicastForwardCallback observed(
                [&](Ptr<Ipv4Route> route, Ptr<const Packet> sent, const Ipv4Header& sentHeader) {
                    isForwarded = true;
                    isExpired ? Router::NotifyExpired(device) : Report(*routed, route);
                    forward(route, sent, sentHeader); // drops expired packets
                });
            const bool isRouted =
                m_other->RouteInput(packet, header, device, observed, forwardToMany, deliver, fail);
            if (!isForwarded)
            {
                Report(*routed, nullptr);
            }
            return isRouted;
        }
        if (isExpired)
        {
            m_dropped(*routed);
            Router::NotifyExpired(device);
            return true;
        }
        auto sentHeader = header;
        const auto sent = Resize(packet, sentHeader);
        const auto read = sent == packet ? routed : RoutedPacket::Read(sent, header, true);
        const auto route = Decide(*read, header.GetDestination());
        if (!route)
        {
            return m_other
                ->RouteInput(sent, sentHeader, device, forward, forwardToMany, deliver, fail);
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

    void NotifyInterfaceUp(uint32_t interface) override
    {
        m_other->NotifyInterfaceUp(interface);
    }

    void NotifyInterfaceDown(uint32_t interface) override
    {
        m_other->NotifyInterfaceDown(interface);
    }

    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override
    {
        m_other->NotifyAddAddress(interface, address);
    }

    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override
    {
        m_other->NotifyRemoveAddress(interface, address);
    }

    void SetIpv4(Ptr<Ipv4> ipv4) override
    {
        m_ipv4 = ipv4;
    }

    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const override
    {
        m_other->PrintRoutingTable(stream, unit);
    }

  private:
    void DoDispose() override
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

    /**
     * Report a decision of the other protocol.
     *
     * @param packet The packet.
     * @param route Its route; null: there is none.
     */
    void Report(const RoutedPacket& packet, Ptr<Ipv4Route> route) const
    {
        m_router->Choose(packet);
        m_router->Send(packet, m_router->FindPort(route ? route->GetOutputDevice() : nullptr));
    }

    /**
     * Call the router's chooser.
     *
     * @param packet Packet to forward.
     * @param destination Destination address.
     * @return the chosen route, null: drop the packet; nothing: there is no choice
     */
    std::optional<Ptr<Ipv4Route>> Decide(const RoutedPacket& packet, Ipv4Address destination)
    {
        const auto port = m_router->Choose(packet);
        if (!port)
        {
            return std::nullopt;
        }
        return m_router->Send(packet, *port) ? MakeRoute(*m_router->GetPorts()[*port], destination)
                                             : nullptr;
    }

    /**
     * @param port A port of the router.
     * @param destination An address.
     * @return the route over this port
     */
    Ptr<Ipv4Route> MakeRoute(const OutputPort& port, Ipv4Address destination) const
    {
        const auto& description = port.Get();
        const auto route = Create<Ipv4Route>();
        route->SetDestination(destination);
        route->SetSource(m_ipv4->GetAddress(description.interface, 0).GetLocal());
        route->SetGateway(description.gateway);
        route->SetOutputDevice(description.device);
        return route;
    }

    /**
     * Resize a packet, if each router draws new sizes.
     *
     * @param packet The packet.
     * @param header IP header of the packet; its size is changed.
     * @return the packet to send instead
     */
    Ptr<const Packet> Resize(Ptr<const Packet> packet, Ipv4Header& header) const
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

    Ptr<Ipv4> m_ipv4;                 //!< IPv4 of the node
    Ptr<Ipv4RoutingProtocol> m_other; //!< Routing of other packets
    Ptr<Router> m_router;             //!< Router on the node
    Resizer m_resizer;                //!< Draws new sizes; may be empty
    DropCallback m_dropped;           //!< Called with dropped packets
    bool m_isObserver;                //!< Whether choices have no effect
};

inline DEFIANCE_OBJECT(ChosenRouting, Ipv4RoutingProtocol);

} // namespace ns3

#endif // CHOSEN_ROUTING_H
