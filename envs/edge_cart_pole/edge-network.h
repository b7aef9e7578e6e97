// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_CART_POLE_EDGE_NETWORK_H
#define EDGE_CART_POLE_EDGE_NETWORK_H

#include "access-network.h"
#include "edge-parameters.h"

#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Edge nodes in a chain, and carts that are attached to one of them at a time.
 *
 * Each cart has a link to each edge node; only that to the node where it is attached is up. A
 * node has one address, at all of its interfaces, which a cart keeps when it is handed over; the
 * edge nodes' routes to it follow in the same instant.
 */
class EdgeNetwork : public AccessNetwork
{
  public:
    /**
     * Build it, with all carts at edge node 0, where all agents are.
     *
     * @param parameters Of the scenario.
     * @param carts Nodes of carts.
     * @param edges Edge nodes.
     */
    EdgeNetwork(const EdgeParameters& parameters,
                const NodeContainer& carts,
                const NodeContainer& edges);

    /**
     * Hand a cart over: its link goes down, that to an edge node comes up, routes change. What
     * either link carries at this moment is lost.
     *
     * @param cart Number of the cart.
     * @param edge Number of the edge node.
     */
    void Attach(uint32_t cart, uint32_t edge);

    /**
     * @param cart Number of a cart.
     * @return the number of the edge node where it is attached
     */
    uint32_t GetEdgeOfCart(uint32_t cart) const;

    /**
     * @param node A node.
     * @return the number of the edge node that it is
     */
    uint32_t GetNumber(Ptr<const Node> node) const;

    /**
     * @return the edge nodes, in the order of the road
     */
    const NodeContainer& GetEdges() const;

  private:
    /// Interfaces of the two ends of a link.
    struct Link
    {
        uint32_t one;   //!< Interface index at one node
        uint32_t other; //!< Interface index at the other one
    };

    /**
     * Give the devices of a link the addresses of their nodes.
     *
     * @param devices Devices at both ends.
     * @param one Address of the node of the first.
     * @param other Address of the node of the second.
     * @return their interfaces, which are up
     */
    static Link Join(const NetDeviceContainer& devices, Ipv4Address one, Ipv4Address other);

    /// Connect neighbouring edge nodes, and have each know the way to all others.
    void BuildBackbone(const EdgeParameters& parameters);

    /**
     * Bring the link between a cart and an edge node up or down.
     *
     * @param cart Number of the cart.
     * @param edge Number of the edge node.
     * @param up Whether up.
     */
    void SetLink(uint32_t cart, uint32_t edge, bool up);

    /**
     * @param from Number of an edge node.
     * @param to Number of another one.
     * @return the interface of the first towards the second
     */
    uint32_t GetInterfaceTowards(uint32_t from, uint32_t to) const;

    NodeContainer m_carts;                        //!< Nodes of carts
    NodeContainer m_edges;                        //!< Edge nodes
    std::vector<Ipv4Address> m_cartAddresses;     //!< One for each cart
    std::vector<Ipv4Address> m_edgeAddresses;     //!< One for each edge node
    std::vector<std::vector<Link>> m_accessLinks; //!< By cart, then by edge node
    std::vector<Link> m_backbone;                 //!< From each edge node to the next one
    std::vector<uint32_t> m_edgeOfCart;           //!< Where each cart is attached
};

} // namespace ns3

#endif // EDGE_CART_POLE_EDGE_NETWORK_H
