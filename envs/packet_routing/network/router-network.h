// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_NETWORK_H
#define ROUTER_NETWORK_H

#include "chosen-routing.h"
#include "link-graph.h"
#include "packet-ledger.h"
#include "router.h"

#include "ns3/error-model.h"
#include "ns3/node-container.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The routers of a topology as nodes of ns-3, with a link between two devices for each link.
 *
 * Router i has its own network, 20.<i / 256>.<i % 256>.0/24, where packets for it end; link l has
 * 21.0.0.0/8's l-th network of four addresses.
 */
class RouterNetwork
{
  public:
    /**
     * @param parameters The properties of the network.
     * @param graph The properties of its links; it outlives the network.
     * @param ledger Called with packets that arrive, or are lost; it outlives the network.
     */
    RouterNetwork(const RoutingNetworkParameters& parameters,
                  LinkGraph& graph,
                  PacketLedger& ledger);

    NodeContainer GetNodes() const; //!< @return the node of each router

    /**
     * @param number Number of a router.
     * @return the router
     */
    Ptr<Router> GetRouter(uint32_t number) const;

    /**
     * @param number Number of a router.
     * @return the address where packets for it end
     */
    static Ipv4Address GetAddress(uint32_t number);

    /**
     * Lead packets as the choosers of routers say, where there are choosers.
     *
     * @param resizer Makes what draws the sizes of packets anew at a router; empty: they keep
     * their sizes.
     */
    void RouteByChoice(const std::function<ChosenRouting::Resizer(uint32_t)>& resizer);

    /// Have ns-3 compute all routes.
    void ComputeRoutes();

    /**
     * Have a link fail, or work again. Packets on their way over it when it fails are lost.
     *
     * @param link Its number.
     * @param works Whether it works from now on.
     */
    void SetLinkWorks(uint32_t link, bool works);

  private:
    /**
     * Both devices of a link.
     */
    using Ends = std::array<Ptr<PointToPointNetDevice>, 2>;

    /// Put IP on all nodes, with ns-3's global routing.
    void InstallInternet();

    /**
     * Give a router the network where packets for it end.
     *
     * @param number Its number.
     */
    void AddOwnNetwork(uint32_t number);

    /**
     * Build a link.
     *
     * @param link Its number.
     */
    void AddLink(uint32_t link);

    /**
     * Put a device on a node.
     *
     * @param node The node.
     * @param rate Rate of the link.
     * @return the device
     */
    Ptr<PointToPointNetDevice> AddDevice(Ptr<Node> node, DataRate rate);

    /**
     * Note what arrives at a router, and what is lost there.
     *
     * @param number Its number.
     */
    void Watch(uint32_t number);

    /**
     * A packet has arrived where it was bound for.
     *
     * @param header Its IP header.
     * @param packet The packet without it.
     * @param interface Where it has come in.
     */
    void NotifyDelivered(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * A packet is lost at a device.
     *
     * @param packet The packet.
     */
    void NotifyLost(Ptr<const Packet> packet);

    /**
     * A packet is lost because its link has failed.
     *
     * @param sender Router that sent it.
     * @param packet The packet.
     */
    void NotifyLostOnLink(Ptr<Router> sender, Ptr<const Packet> packet);

    const RoutingNetworkParameters& m_parameters; //!< The properties of the network
    LinkGraph& m_graph;                           //!< The properties of its links
    PacketLedger& m_ledger;                       //!< Receives the fate of packets
    NodeContainer m_nodes;                        //!< Of routers
    std::vector<Ptr<Router>> m_routers;           //!< By number
    std::vector<Ends> m_ends;                     //!< Of links
};

} // namespace ns3

#endif // ROUTER_NETWORK_H
