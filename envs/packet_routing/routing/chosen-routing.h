// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHOSEN_ROUTING_H
#define CHOSEN_ROUTING_H

#include "router.h"

#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv4.h"

#include <functional>

namespace ns3
{

/**
 * @brief Leads packets of the traffic as the chooser of the node's Router says, within the call in
 * which IP asks for a route, and all others as another protocol does.
 *
 * Where nobody chooses, and for all other packets, the other protocol has the say. A packet for
 * which a port is chosen that does not exist, or whose link has failed, is dropped.
 */
class ChosenRouting : public Ipv4RoutingProtocol
{
  public:
    /// Returns how many bytes of payload a packet has from here on.
    using Resizer = std::function<uint32_t()>;
    /// Called with a packet that is dropped here after it has come over a link.
    using DropCallback = std::function<void(const RoutedPacket&)>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param other Leads packets without a choice; it knows the node's IP already.
     */
    void SetOther(Ptr<Ipv4RoutingProtocol> other);

    /**
     * @param router Router of the node.
     */
    void SetRouter(Ptr<Router> router);

    /**
     * @param resizer Draws the size of each packet that is sent on; empty: it keeps its size.
     */
    void SetResizer(Resizer resizer);

    /**
     * @param dropped Called with each packet that is dropped here after it has come over a link.
     */
    void SetDropCallback(DropCallback dropped);

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
     * The decision about a packet.
     */
    struct Verdict
    {
        bool chosen{false};   //!< Somebody has chosen
        Ptr<Ipv4Route> route; //!< Where the packet goes; null: it is dropped
    };

    /**
     * Ask the router's chooser, and say what is done.
     *
     * @param packet That is to be sent on.
     * @param destination Its address.
     * @return where it goes
     */
    Verdict Decide(const RoutedPacket& packet, Ipv4Address destination);

    /**
     * @param port A port of the router.
     * @param destination An address.
     * @return the route over this port
     */
    Ptr<Ipv4Route> MakeRoute(const OutputPort& port, Ipv4Address destination) const;

    /**
     * Give a packet another size, if sizes are drawn anew.
     *
     * @param packet The packet.
     * @param header Its IP header; it gets the size.
     * @return the packet that is sent instead
     */
    Ptr<const Packet> Resize(Ptr<const Packet> packet, Ipv4Header& header) const;

    /**
     * Drop a packet that has crossed as many links as it may.
     *
     * @param packet The packet.
     * @param device From where it has come.
     */
    void DropExpired(const RoutedPacket& packet, Ptr<const NetDevice> device) const;

    Ptr<Ipv4> m_ipv4;                 //!< Of the node
    Ptr<Ipv4RoutingProtocol> m_other; //!< Leads what nobody chooses for
    Ptr<Router> m_router;             //!< Of the node
    Resizer m_resizer;                //!< Draws sizes anew; may be empty
    DropCallback m_dropped;           //!< Called with dropped packets
};

} // namespace ns3

#endif // CHOSEN_ROUTING_H
