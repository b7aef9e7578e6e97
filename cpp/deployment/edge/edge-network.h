// SPDX-License-Identifier: GPL-2.0-only

#ifndef EDGE_NETWORK_H
#define EDGE_NETWORK_H

#include "access-network.h"
#include "link-parameters.h"
#include "packet-loss.h"

#include "ns3/abort.h"
#include "ns3/data-rate.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rl-parameter.h"
#include "ns3/rl-simulation.h"
#include "ns3/traffic-control-helper.h"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The properties of the road, of the edge nodes beside it and of the moves of agents.
 */
struct EdgeParameters
{
    uint32_t edges{5};                 //!< Number of edge nodes
    Time handoverInterval{Seconds(2)}; //!< Interval between two handovers
    Time hopDelay{MilliSeconds(10)};   //!< One-way delay between neighbouring edge nodes
    DataRate backboneRate{"100Mbps"};  //!< Data rate between neighbouring edge nodes
    std::string migration{"follow"};   //!< Migration of agents: fixed, follow, schedule, action
    std::string schedule;              //!< time:edge;time:edge;..., for migration=schedule
    uint32_t stateBytes{0};            //!< Bytes sent over the backbone before an agent moves
    std::string stateTransfer{"live"}; //!< The agent's behaviour meanwhile: live, stop-and-copy

    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void Declare(RlSimulation& simulation, const std::string& device)
    {
        simulation.AddValue("edges",
                            "Number of edge nodes along the road, in a chain.",
                            edges,
                            1U,
                            50U);
        simulation.AddValue("handover_interval",
                            "Time that " + device + "s take from one edge node to the next.",
                            handoverInterval,
                            MilliSeconds(1),
                            Hours(24));
        simulation.AddValue("hop_delay",
                            "One-way delay between neighbouring edge nodes.",
                            hopDelay,
                            Time(0),
                            Seconds(10));
        simulation.AddValue("backbone_rate",
                            "Data rate between neighbouring edge nodes.",
                            backboneRate,
                            DataRate("1kbps"),
                            DataRate("100Gbps"));
        DeclareMoves(simulation, device);
    }

    /**
     * @param handovers Number of handovers.
     * @return the number of the devices' edge node: they drive back and forth
     */
    uint32_t GetEdgeAfter(uint64_t handovers) const
    {
        if (edges == 1)
        {
            return 0;
        }
        const auto last = edges - 1;
        const auto way = static_cast<uint32_t>(handovers % (2 * last));
        return way <= last ? way : 2 * last - way;
    }

    /**
     * @return the destination edge node by time, or nothing if `schedule` is malformed
     */
    std::optional<std::map<Time, uint32_t>> ParseSchedule() const
    {
        std::map<Time, uint32_t> moves;
        std::istringstream parts(schedule);
        for (std::string part; std::getline(parts, part, ';');)
        {
            const auto colon = part.find(':');
            Time time;
            uint32_t edge = 0;
            if (colon == std::string::npos || !ParseText(part.substr(0, colon), time) ||
                !ParseText(part.substr(colon + 1), edge) || time.IsStrictlyNegative() ||
                edge >= edges)
            {
                return std::nullopt;
            }
            moves[time] = edge;
        }
        return moves;
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        if (schedule.empty() != (migration != "schedule"))
        {
            return "schedule and migration=schedule need each other";
        }
        if (!ParseSchedule())
        {
            return "schedule=" + schedule +
                   " is not time:edge;time:edge;... with edges from 0 to " +
                   std::to_string(edges - 1);
        }
        if (migration == "fixed" && stateBytes > 0)
        {
            return "migration=fixed never moves, so state_bytes does not apply";
        }
        if (stateBytes == 0 && stateTransfer != "live")
        {
            return "state_transfer=" + stateTransfer + " needs state_bytes";
        }
        return "";
    }

  private:
    /**
     * Declare the times and costs of agents' moves.
     *
     * @param simulation The scenario.
     * @param device Name of a device, in the singular.
     */
    void DeclareMoves(RlSimulation& simulation, const std::string& device)
    {
        simulation.AddChoice("migration",
                             "When agents move: never, with their " + device +
                                 ", at given times, or when their action says so.",
                             migration,
                             {"fixed", "follow", "schedule", "action"});
        simulation.AddValue("schedule",
                            "Moves of all agents, time:edge;time:edge;..., for migration=schedule.",
                            schedule);
        simulation.AddValue("state_bytes",
                            "Bytes sent by TCP from the old edge node to the new one before an "
                            "agent moves; 0: it moves at once.",
                            stateBytes,
                            0U,
                            std::numeric_limits<uint32_t>::max());
        simulation.AddChoice("state_transfer",
                             "Behaviour of an agent while its state is under way: continue at the "
                             "old edge node, or pause.",
                             stateTransfer,
                             {"live", "stop-and-copy"});
    }
};

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
