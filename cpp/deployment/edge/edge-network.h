// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_NETWORK_H
#define EDGE_NETWORK_H

#include "access-network.h"
#include "edge-parameters.h"
#include "link-parameters.h"

#include "ns3/ipv4-address.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Edge nodes in a chain, and devices that are attached to one of them at a time.
 *
 * Each device has a link to each edge node; only the link to its present edge node is up. A node
 * has one address for all interfaces, and a device keeps it during handovers; the edge nodes'
 * routes to it change at the same instant.
 */
class EdgeNetwork : public AccessNetwork
{
  public:
    /**
     * Build the network, with all devices and agents at edge node 0.
     *
     * @param parameters Parameters of road and edge nodes.
     * @param access The properties of the link between a device and an edge node.
     * @param devices Nodes of devices.
     * @param edges Edge nodes.
     */
    EdgeNetwork(const EdgeParameters& parameters,
                const LinkParameters& access,
                const NodeContainer& devices,
                const NodeContainer& edges);

    /**
     * Hand a device over: its link goes down, its link to the new edge node comes up, and routes
     * change. Packets on either link are lost.
     *
     * @param device Number of the device.
     * @param edge Number of the edge node.
     */
    void Attach(uint32_t device, uint32_t edge);

    /**
     * @param device Number of a device.
     * @return the number of the edge node to which it is attached
     */
    uint32_t GetEdgeOfDevice(uint32_t device) const;

    /**
     * @param node A node.
     * @return the number of the edge node
     */
    uint32_t GetNumber(Ptr<const Node> node) const;

  private:
    /// Interfaces of the two ends of a link.
    struct Link
    {
        uint32_t one;   //!< Interface index at the first node
        uint32_t other; //!< Interface index at the second node
    };

    /**
     * Assign the addresses of their nodes to the devices of a link.
     *
     * @param devices Devices at both ends.
     * @param one Address of the first node.
     * @param other Address of the second node.
     * @return the interfaces, which are up
     */
    static Link Join(const NetDeviceContainer& devices, Ipv4Address one, Ipv4Address other);

    /**
     * Connect each device with each edge node.
     *
     * @param access The properties of the links.
     */
    void BuildAccess(const LinkParameters& access);

    /**
     * Connect neighbouring edge nodes, and add routes from each to all others.
     *
     * @param parameters Parameters of road and edge nodes.
     */
    void BuildBackbone(const EdgeParameters& parameters);

    /**
     * Bring the link between a device and an edge node up or down.
     *
     * @param device Number of the device.
     * @param edge Number of the edge node.
     * @param up Whether the link is up.
     */
    void SetLink(uint32_t device, uint32_t edge, bool up);

    /**
     * @param from Number of an edge node.
     * @param to Number of another edge node.
     * @return the first edge node's interface towards the other
     */
    uint32_t GetInterfaceTowards(uint32_t from, uint32_t to) const;

    NodeContainer m_devices;                      //!< Nodes of devices
    NodeContainer m_edges;                        //!< Edge nodes
    std::vector<Ipv4Address> m_edgeAddresses;     //!< Address of each edge node
    std::vector<std::vector<Link>> m_accessLinks; //!< Links by device, then by edge node
    std::vector<Link> m_backbone;                 //!< Link from each edge node to the next one
    std::vector<uint32_t> m_edgeOfDevice;         //!< Edge node of each device
};

} // namespace ns3

#endif // EDGE_NETWORK_H
