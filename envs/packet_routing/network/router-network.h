// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_NETWORK_H
#define ROUTER_NETWORK_H

#include "chosen-routing.h"
#include "link-graph.h"
#include "router.h"

#include "ns3/error-model.h"
#include "ns3/node-container.h"
#include "ns3/random-variable-stream.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The routers of a topology as nodes of ns-3, with a link between two devices for each link.
 *
 * Router i has its own network, 20.<i / 256>.<i % 256>.0/24, as the destination of packets; link l
 * has the l-th network of four addresses in 21.0.0.0/8.
 */
class RouterNetwork
{
  public:
    /**
     * @param parameters The properties of the network.
     * @param graph The properties of the links; it outlives the network.
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
     * @return the destination address of its packets
     */
    static Ipv4Address GetAddress(uint32_t number);

    /**
     * Route packets by the choosers of routers that have one.
     *
     * @param resizer Returns the function that draws new sizes of packets at a router; empty:
     * packets keep their sizes.
     */
    void RouteByChoice(const std::function<ChosenRouting::Resizer(uint32_t)>& resizer);

    /// Let ns-3 compute all routes.
    void ComputeRoutes();

    /**
     * Let links fail and work again, after times from exponential distributions, if the parameters
     * have a mean time of failures. Packets under way on a failing link are lost.
     */
    void StartFailures();

  private:
    /**
     * Both devices of a link.
     */
    using Ends = std::array<Ptr<PointToPointNetDevice>, 2>;

    /// Install IP on all nodes, with ns-3's global routing.
    void InstallInternet();

    /**
     * Add the destination network of a router's packets.
     *
     * @param number Number of the router.
     */
    void AddOwnNetwork(uint32_t number);

    /**
     * Build a link.
     *
     * @param link Number of the link.
     */
    void AddLink(uint32_t link);

    /**
     * Add a device to a node.
     *
     * @param node The node.
     * @param rate Rate of the link.
     * @return the device
     */
    Ptr<PointToPointNetDevice> AddDevice(Ptr<Node> node, DataRate rate);

    /**
     * Record arrivals and losses of packets at a router.
     *
     * @param number Number of the router.
     */
    void Watch(uint32_t number);

    /**
     * Record the arrival of a packet at its destination.
     *
     * @param header IP header of the packet.
     * @param packet The packet without the header.
     * @param interface Incoming interface.
     */
    void NotifyDelivered(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * Record the loss of a packet at a device.
     *
     * @param packet The packet.
     */
    void NotifyLost(Ptr<const Packet> packet);

    /**
     * Record the loss of a packet on a failed link.
     *
     * @param sender Router that sent the packet.
     * @param packet The packet.
     */
    void NotifyLostOnLink(Ptr<Router> sender, Ptr<const Packet> packet);

    /**
     * Draw the time of a link's next change.
     *
     * @param link Number of the link.
     * @param works Whether it works until then.
     */
    void ScheduleChange(uint32_t link, bool works);

    /**
     * Let a link fail, or work again, and draw the time of its next change.
     *
     * @param link Number of the link.
     * @param works Whether it works from now on.
     */
    void Change(uint32_t link, bool works);

    const RoutingNetworkParameters& m_parameters; //!< The properties of the network
    LinkGraph& m_graph;                           //!< Properties of the links
    PacketLedger& m_ledger;                       //!< Ledger of packets
    NodeContainer m_nodes;                        //!< Nodes of routers
    std::vector<Ptr<Router>> m_routers;           //!< Routers by number
    std::vector<Ends> m_ends;                     //!< Ends of links
    /// Draw the times of failures and repairs of links.
    std::vector<Ptr<ExponentialRandomVariable>> m_changes;
};

} // namespace ns3

#endif // ROUTER_NETWORK_H
