// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_NETWORK_H
#define EDGE_NETWORK_H

#include "access-network.h"
#include "edge-parameters.h"
#include "link-parameters.h"
#include "packet-loss.h"

#include "ns3/abort.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/traffic-control-helper.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

constexpr const char* EDGES_NETWORK = "10.1.0.0"; // network of edge nodes' addresses
constexpr const char* EDGES_MASK = "255.255.0.0";

/**
 * Add a route from a node to an address.
 *
 * @param node The node.
 * @param address The address.
 * @param interface The outgoing interface.
 */
inline void
SetRoute(Ptr<Node> node, Ipv4Address address, uint32_t interface)
{
    const auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
    for (uint32_t i = 0; i < routing->GetNRoutes(); i++)
    {
        if (routing->GetRoute(i).GetDest() == address)
        {
            routing->RemoveRoute(i);
            break;
        }
    }
    routing->AddHostRouteTo(address, interface);
}

/**
 * @param base First address.
 * @param count Number of addresses.
 * @return consecutive addresses
 */
inline std::vector<Ipv4Address>
MakeAddresses(const char* base, uint32_t count)
{
    std::vector<Ipv4Address> addresses;
    const auto first = Ipv4Address(base).Get();
    for (uint32_t i = 0; i < count; i++)
    {
        addresses.emplace_back(first + i);
    }
    return addresses;
}

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
                const NodeContainer& edges)
        : m_devices(devices),
          m_edges(edges),
          m_edgeAddresses(MakeAddresses("10.1.0.1", edges.GetN())),
          m_accessLinks(devices.GetN()),
          m_edgeOfDevice(devices.GetN(), 0)
    {
        InternetStackHelper().Install(SelectWithoutInternet(NodeContainer(devices, edges)));
        BuildAccess(access);
        BuildBackbone(parameters);
        for (uint32_t device = 0; device < devices.GetN(); device++)
        {
            Attach(device, 0);
        }
    }

    /**
     * Hand a device over: its link goes down, its link to the new edge node comes up, and routes
     * change. Packets on either link are lost.
     *
     * @param device Number of the device.
     * @param edge Number of the edge node.
     */
    void Attach(uint32_t device, uint32_t edge)
    {
        SetLink(device, m_edgeOfDevice[device], false);
        m_edgeOfDevice[device] = edge;
        SetLink(device, edge, true);
        const auto link = m_accessLinks[device][edge];
        const auto ipv4 = m_devices.Get(device)->GetObject<Ipv4>();
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddNetworkRouteTo(EDGES_NETWORK,
                                                                            EDGES_MASK,
                                                                            link.one);
        for (uint32_t from = 0; from < m_edges.GetN(); from++)
        {
            SetRoute(m_edges.Get(from),
                     Ipv4Address::ConvertFrom(m_deviceAddresses[device]),
                     from == edge ? link.other : GetInterfaceTowards(from, edge));
        }
    }

    /**
     * @param device Number of a device.
     * @return the number of the edge node to which it is attached
     */
    uint32_t GetEdgeOfDevice(uint32_t device) const
    {
        return m_edgeOfDevice[device];
    }

    /**
     * @param node A node.
     * @return the number of the edge node
     */
    uint32_t GetNumber(Ptr<const Node> node) const
    {
        for (uint32_t edge = 0; edge < m_edges.GetN(); edge++)
        {
            if (m_edges.Get(edge) == node)
            {
                return edge;
            }
        }
        NS_ABORT_MSG("Node " << node->GetId() << " is not an edge node");
    }

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
    static Link Join(const NetDeviceContainer& devices, Ipv4Address one, Ipv4Address other)
    {
        std::vector<uint32_t> interfaces;
        for (const auto& [device, address] :
             {std::pair(devices.Get(0), one), std::pair(devices.Get(1), other)})
        {
            const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
            const auto interface = ipv4->AddInterface(device);
            ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
            ipv4->SetUp(interface);
            interfaces.push_back(interface);
        }
        // Unlike Ipv4AddressHelper, which gives each interface a new address.
        TrafficControlHelper::Default().Install(devices);
        return {interfaces[0], interfaces[1]};
    }

    /**
     * Connect each device with each edge node.
     *
     * @param access The properties of the links.
     */
    void BuildAccess(const LinkParameters& access)
    {
        PointToPointHelper links;
        links.SetDeviceAttribute("DataRate", DataRateValue(access.dataRate));
        links.SetChannelAttribute("Delay", TimeValue(access.delay));
        PacketLoss loss(access.loss);
        const auto addresses = MakeAddresses("10.0.0.1", m_devices.GetN());
        m_deviceAddresses.assign(addresses.begin(), addresses.end());
        m_agentAddresses.assign(m_devices.GetN(), m_edgeAddresses[0]);
        for (uint32_t device = 0; device < m_devices.GetN(); device++)
        {
            for (uint32_t edge = 0; edge < m_edges.GetN(); edge++)
            {
                const auto ends = links.Install(m_devices.Get(device), m_edges.Get(edge));
                loss.Install(ends);
                m_accessLinks[device].push_back(
                    Join(ends, addresses[device], m_edgeAddresses[edge]));
                SetLink(device, edge, false);
            }
        }
    }

    /**
     * Connect neighbouring edge nodes, and add routes from each to all others.
     *
     * @param parameters Parameters of road and edge nodes.
     */
    void BuildBackbone(const EdgeParameters& parameters)
    {
        PointToPointHelper hop;
        hop.SetDeviceAttribute("DataRate", DataRateValue(parameters.backboneRate));
        hop.SetChannelAttribute("Delay", TimeValue(parameters.hopDelay));
        for (uint32_t edge = 0; edge + 1 < m_edges.GetN(); edge++)
        {
            m_backbone.push_back(Join(hop.Install(m_edges.Get(edge), m_edges.Get(edge + 1)),
                                      m_edgeAddresses[edge],
                                      m_edgeAddresses[edge + 1]));
        }
        for (uint32_t from = 0; from < m_edges.GetN(); from++)
        {
            for (uint32_t to = 0; to < m_edges.GetN(); to++)
            {
                if (from != to)
                {
                    SetRoute(m_edges.Get(from), m_edgeAddresses[to], GetInterfaceTowards(from, to));
                }
            }
        }
    }

    /**
     * Bring the link between a device and an edge node up or down.
     *
     * @param device Number of the device.
     * @param edge Number of the edge node.
     * @param up Whether the link is up.
     */
    void SetLink(uint32_t device, uint32_t edge, bool up)
    {
        const auto link = m_accessLinks[device][edge];
        for (const auto& [node, interface] :
             {std::pair(m_devices.Get(device), link.one), std::pair(m_edges.Get(edge), link.other)})
        {
            const auto ipv4 = node->GetObject<Ipv4>();
            up ? ipv4->SetUp(interface) : ipv4->SetDown(interface);
        }
    }

    /**
     * @param from Number of an edge node.
     * @param to Number of another edge node.
     * @return the first edge node's interface towards the other
     */
    uint32_t GetInterfaceTowards(uint32_t from, uint32_t to) const
    {
        return from < to ? m_backbone[from].one : m_backbone[from - 1].other;
    }

    NodeContainer m_devices;                      //!< Nodes of devices
    NodeContainer m_edges;                        //!< Edge nodes
    std::vector<Ipv4Address> m_edgeAddresses;     //!< Address of each edge node
    std::vector<std::vector<Link>> m_accessLinks; //!< Links by device, then by edge node
    std::vector<Link> m_backbone;                 //!< Link from each edge node to the next one
    std::vector<uint32_t> m_edgeOfDevice;         //!< Edge node of each device
};

} // namespace ns3

#endif // EDGE_NETWORK_H
