// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTER_NETWORK_H
#define ROUTER_NETWORK_H

#include "chosen-routing.h"
#include "link-graph.h"
#include "router.h"

#include "ns3/boolean.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/simulator.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

constexpr uint32_t OWN_NETWORKS = 20U << 24;  //!< Prefix of routers
constexpr uint32_t LINK_NETWORKS = 21U << 24; //!< Prefix of links
constexpr int64_t FAILURE_STREAM = 500'000;   //!< Stream of the first link's failures
constexpr uint16_t MTU = 65'535;              //!< Large MTU without fragmentation

/**
 * @param node A node.
 * @param device A device of the node.
 * @param address Address of the device.
 * @param mask Mask of the address.
 * @param metric Cost of the interface.
 * @return the number of the interface
 */
inline uint32_t
AddInterface(Ptr<Node> node,
             Ptr<NetDevice> device,
             Ipv4Address address,
             Ipv4Mask mask,
             uint16_t metric)
{
    const auto ipv4 = node->GetObject<Ipv4>();
    const auto interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ipv4->SetMetric(interface, metric);
    ipv4->SetUp(interface);
    return interface;
}

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
                  PacketLedger& ledger)
        : m_parameters(parameters),
          m_graph(graph),
          m_ledger(ledger)
    {
        m_nodes.Create(graph.CountRouters());
        InstallInternet();
        for (uint32_t number = 0; number < graph.CountRouters(); number++)
        {
            const auto router = CreateObject<Router>();
            router->SetNumber(number, graph);
            m_nodes.Get(number)->AggregateObject(router);
            m_routers.push_back(router);
            AddOwnNetwork(number);
        }
        for (uint32_t link = 0; link < graph.GetLinks().size(); link++)
        {
            AddLink(link);
        }
        for (uint32_t number = 0; number < graph.CountRouters(); number++)
        {
            Watch(number);
        }
    }

    /// @return the node of each router
    NodeContainer GetNodes() const
    {
        return m_nodes;
    }

    /**
     * @param number Number of a router.
     * @return the router
     */
    Ptr<Router> GetRouter(uint32_t number) const
    {
        return m_routers[number];
    }

    /**
     * @param number Number of a router.
     * @return the destination address of its packets
     */
    static Ipv4Address GetAddress(uint32_t number)
    {
        return Ipv4Address(OWN_NETWORKS | (number << 8) | 1);
    }

    /**
     * Route packets by the choosers of routers that have one.
     *
     * @param resizer Returns the function that draws new sizes of packets at a router; empty:
     * packets keep their sizes.
     * @param isGlobal Whether choosers are called without effect.
     */
    void RouteByChoice(const std::function<ChosenRouting::Resizer(uint32_t)>& resizer,
                       bool isGlobal)
    {
        for (const auto& router : m_routers)
        {
            const auto ipv4 = m_nodes.Get(router->GetNumber())->GetObject<Ipv4>();
            ipv4->SetRoutingProtocol(CreateObject<ChosenRouting>(
                ipv4->GetRoutingProtocol(),
                router,
                resizer ? resizer(router->GetNumber()) : ChosenRouting::Resizer(),
                [this](const RoutedPacket& packet) { m_ledger.NotifyLost(packet); },
                isGlobal));
        }
    }

    /// Let ns-3 compute all routes.
    void ComputeRoutes()
    {
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    }

    /**
     * Let links fail and work again, after times from exponential distributions, if the parameters
     * have a mean time of failures. Packets under way on a failing link are lost.
     */
    void StartFailures()
    {
        for (uint32_t link = 0; m_parameters.HasFailures() && link < m_ends.size(); link++)
        {
            const auto variable = CreateObject<ExponentialRandomVariable>();
            variable->SetStream(FAILURE_STREAM + link);
            m_changes.push_back(variable);
            ScheduleChange(link, true);
        }
    }

  private:
    /**
     * Both devices of a link.
     */
    using Ends = std::array<Ptr<PointToPointNetDevice>, 2>;

    /// Install IP on all nodes, with ns-3's global routing.
    void InstallInternet()
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(Ipv4GlobalRoutingHelper());
        stack.Install(m_nodes);
        for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node)
        {
            const auto routing = (*node)->GetObject<Ipv4>()->GetRoutingProtocol();
            routing->SetAttribute("RespondToInterfaceEvents",
                                  BooleanValue(m_parameters.HasFailures()));
        }
    }

    /**
     * Add the destination network of a router's packets.
     *
     * @param number Number of the router.
     */
    void AddOwnNetwork(uint32_t number)
    {
        const auto device = CreateObject<SimpleNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetChannel(CreateObject<SimpleChannel>());
        m_nodes.Get(number)->AddDevice(device);
        AddInterface(m_nodes.Get(number), device, GetAddress(number), Ipv4Mask("255.255.255.0"), 1);
    }

    /**
     * Build a link.
     *
     * @param link Number of the link.
     */
    void AddLink(uint32_t number)
    {
        const auto& link = m_graph.GetLinks()[number];
        const std::array<uint32_t, 2> routers{link.first, link.second};
        const auto channel = CreateObject<PointToPointChannel>();
        channel->SetAttribute("Delay", TimeValue(link.propagation));
        const Ipv4Mask mask("255.255.255.252");
        const auto network = LINK_NETWORKS | (number << 2);
        Ends ends;
        for (uint32_t end = 0; end < 2; end++)
        {
            const auto node = m_nodes.Get(routers[end]);
            ends[end] = AddDevice(node, link.rate);
            ends[end]->Attach(channel);
            const auto interface =
                AddInterface(node, ends[end], Ipv4Address(network | (end + 1)), mask, link.cost);
            m_routers[routers[end]]->AddPort(
                Create<OutputPort>(OutputPort::Description{number,
                                                           routers[1 - end],
                                                           ends[end],
                                                           node->GetObject<Ipv4>(),
                                                           interface,
                                                           Ipv4Address(network | (2 - end)),
                                                           link.propagation,
                                                           link.rate,
                                                           m_parameters.buffer}));
        }
        for (uint32_t end = 0; end < 2; end++)
        {
            ends[end]->GetQueue()->TraceConnectWithoutContext(
                "Drop",
                MakeCallback(&RouterNetwork::NotifyLost, this));
            ends[end]->TraceConnectWithoutContext(
                "PhyRxDrop",
                MakeCallback(&RouterNetwork::NotifyLostOnLink, this)
                    .Bind(m_routers[routers[1 - end]]));
        }
        m_ends.push_back(ends);
    }

    /**
     * Add a device to a node.
     *
     * @param node The node.
     * @param rate Rate of the link.
     * @return the device
     */
    Ptr<PointToPointNetDevice> AddDevice(Ptr<Node> node, DataRate rate)
    {
        const auto device = CreateObject<PointToPointNetDevice>();
        device->SetAddress(Mac48Address::Allocate());
        device->SetDataRate(rate);
        device->SetMtu(MTU);
        const auto queue = CreateObject<DropTailQueue<Packet>>();
        queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, m_parameters.buffer));
        device->SetQueue(queue);
        node->AddDevice(device);
        return device;
    }

    /**
     * Record arrivals and losses of packets at a router.
     *
     * @param number Number of the router.
     */
    void Watch(uint32_t number)
    {
        const auto ipv4 = m_nodes.Get(number)->GetObject<Ipv4L3Protocol>();
        ipv4->TraceConnectWithoutContext("LocalDeliver",
                                         MakeCallback(&RouterNetwork::NotifyDelivered, this));
        ipv4->TraceConnectWithoutContext(
            "Drop",
            Callback<void,
                     const Ipv4Header&,
                     Ptr<const Packet>,
                     Ipv4L3Protocol::DropReason,
                     Ptr<Ipv4>,
                     uint32_t>([this](const Ipv4Header&,
                                      Ptr<const Packet> packet,
                                      Ipv4L3Protocol::DropReason,
                                      Ptr<Ipv4>,
                                      uint32_t) { NotifyLost(packet); }));
    }

    /**
     * Record the arrival of a packet at its destination.
     *
     * @param header IP header of the packet.
     * @param packet The packet without the header.
     * @param interface Incoming interface.
     */
    void NotifyDelivered(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t)
    {
        if (const auto routed = RoutedPacket::Read(packet, header, true))
        {
            m_ledger.NotifyDelivered(*routed);
        }
    }

    /**
     * Record the loss of a packet at a device.
     *
     * @param packet The packet.
     */
    void NotifyLost(Ptr<const Packet> packet)
    {
        RoutedPacketTag tag;
        if (packet->PeekPacketTag(tag))
        {
            m_ledger.NotifyLost(tag.Get());
        }
    }

    /**
     * Record the loss of a packet on a failed link.
     *
     * @param sender Router that sent the packet.
     * @param packet The packet.
     */
    void NotifyLostOnLink(Ptr<Router> sender, Ptr<const Packet> packet)
    {
        RoutedPacketTag tag;
        if (packet->PeekPacketTag(tag))
        {
            m_ledger.NotifyLost(tag.Get());
            sender->NotifyLoss();
        }
    }

    /**
     * Draw the time of a link's next change.
     *
     * @param link Number of the link.
     * @param works Whether it works until then.
     */
    void ScheduleChange(uint32_t link, bool works)
    {
        const auto mean = works ? m_parameters.failureInterval : m_parameters.repairTime;
        const auto delay = Seconds(m_changes[link]->GetValue(mean.GetSeconds(), 0));
        Simulator::Schedule(delay, &RouterNetwork::Change, this, link, !works);
    }

    /**
     * Let a link fail, or work again, and draw the time of its next change.
     *
     * @param link Number of the link.
     * @param works Whether it works from now on.
     */
    void Change(uint32_t link, bool works)
    {
        m_graph.SetWorks(link, works);
        for (const auto& device : m_ends[link])
        {
            Ptr<RateErrorModel> loss;
            if (!works)
            {
                loss = CreateObject<RateErrorModel>();
                loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                loss->SetRate(1);
            }
            device->SetReceiveErrorModel(loss);
            const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
            const auto interface = ipv4->GetInterfaceForDevice(device);
            works ? ipv4->SetUp(interface) : ipv4->SetDown(interface);
        }
        ScheduleChange(link, works);
    }

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
