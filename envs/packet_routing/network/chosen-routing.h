// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHOSEN_ROUTING_H
#define CHOSEN_ROUTING_H

#include "router.h"

#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"

#include <functional>
#include <optional>

namespace ns3
{

/**
 * @brief Routes packets of the traffic by the chooser of the node's Router, within IP's call for a
 * route, and all other packets by another protocol.
 *
 * Without a choice, the other protocol decides, too. A packet is dropped if
 * the chosen port does not exist, or its link has failed.
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
     */
    ChosenRouting(Ptr<Ipv4RoutingProtocol> other,
                  Ptr<Router> router,
                  Resizer resizer,
                  DropCallback dropped);

    Ptr<Ipv4Route> RouteOutput(Ptr<Packet> packet,
                               const Ipv4Header& header,
                               Ptr<NetDevice> device,
                               Socket::SocketErrno& error) override;
    bool RouteInput(Ptr<const Packet> packet,
                    const Ipv4Header& header,
                    Ptr<const NetDevice> device,
                    const UnicastForwardCallback& forward,
                    const MulticastForwardCallback& forwardToMany,
                    const LocalDeliverCallback& deliver,
                    const ErrorCallback& fail) override;
    void NotifyInterfaceUp(uint32_t interface) override;
    void NotifyInterfaceDown(uint32_t interface) override;
    void NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address) override;
    void SetIpv4(Ptr<Ipv4> ipv4) override;
    void PrintRoutingTable(Ptr<OutputStreamWrapper> stream, Time::Unit unit) const override;

  private:
    void DoDispose() override;

    /**
     * Call the router's chooser.
     *
     * @param packet Packet to forward.
     * @param destination Destination address.
     * @return the chosen route, null: drop the packet; nothing: there is no choice
     */
    std::optional<Ptr<Ipv4Route>> Decide(const RoutedPacket& packet, Ipv4Address destination);

    /**
     * @param port A port of the router.
     * @param destination An address.
     * @return the route over this port
     */
    Ptr<Ipv4Route> MakeRoute(const OutputPort& port, Ipv4Address destination) const;

    /**
     * Resize a packet, if each router draws new sizes.
     *
     * @param packet The packet.
     * @param header IP header of the packet; its size is changed.
     * @return the packet to send instead
     */
    Ptr<const Packet> Resize(Ptr<const Packet> packet, Ipv4Header& header) const;

    /**
     * Drop a packet that has crossed its last allowed link.
     *
     * @param packet The packet.
     * @param device Incoming device.
     */
    void DropExpired(const RoutedPacket& packet, Ptr<const NetDevice> device) const;

    Ptr<Ipv4> m_ipv4;                 //!< IPv4 of the node
    Ptr<Ipv4RoutingProtocol> m_other; //!< Routing of other packets
    Ptr<Router> m_router;             //!< Router on the node
    Resizer m_resizer;                //!< Draws new sizes; may be empty
    DropCallback m_dropped;           //!< Called with dropped packets
};

} // namespace ns3

#endif // CHOSEN_ROUTING_H
