// SPDX-License-Identifier: GPL-2.0-only

#include "bottleneck-network.h"

#include "bottleneck-queue.h"
#include "trace-link-device.h"

#include "ns3/boolean.h"
#include "ns3/cobalt-queue-disc.h"
#include "ns3/double.h"
#include "ns3/drop-tail-queue.h"
#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/pie-queue-disc.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/random-variable-stream.h"
#include "ns3/red-queue-disc.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3
{

namespace
{

constexpr int64_t LOSS_STREAM = 1000;       //!< Stream of the first bottleneck's losses
constexpr int64_t DISCIPLINE_STREAM = 2000; //!< Stream of its queue discipline
constexpr int64_t JITTER_STREAM = 10'000;   //!< Stream of the first sender's jitter
constexpr uint32_t DEVICE_QUEUE = 100;      //!< Queue of other devices; ns-3's default

const Ipv4Mask LEAF_MASK("255.255.0.0");   //!< Senders and receivers of a router
const Ipv4Mask LINK_MASK("255.255.255.0"); //!< Mask of a bottleneck
const Ipv4Address AGENTS("172.16.0.0");    //!< Agents behind the gateway
const Ipv4Mask AGENTS_MASK("255.240.0.0"); //!< Mask of the agents' network

/**
 * @brief A point-to-point channel that delays packets of the first attached device at random, but
 * keeps their order: this is the sender's processing time.
 *
 * Otherwise senders with equal round trip times find a full queue at the same instants repeatedly,
 * and the same sender loses every time (Floyd, Jacobson, "Traffic phase effects in packet-switched
 * gateways", 1991, who propose this remedy).
 */
class JitterChannel : public PointToPointChannel
{
  public:
    /**
     * @param longest Longest random delay; delays are uniform from 0 to this maximum.
     * @param stream Stream of the random variable.
     */
    void SetJitter(Time longest, int64_t stream)
    {
        m_jitter = CreateObject<UniformRandomVariable>();
        m_jitter->SetStream(stream);
        m_jitter->SetAttribute("Max", DoubleValue(longest.GetSeconds()));
    }

    bool TransmitStart(Ptr<const Packet> p, Ptr<PointToPointNetDevice> src, Time txTime) override
    {
        if (m_jitter && src == GetSource(0))
        {
            const auto now = Simulator::Now();
            m_lastEnd = std::max(m_lastEnd, now + txTime + Seconds(m_jitter->GetValue()));
            txTime = m_lastEnd - now;
        }
        return PointToPointChannel::TransmitStart(p, src, txTime);
    }

  private:
    Ptr<UniformRandomVariable> m_jitter; //!< Jitter in s; null: none
    Time m_lastEnd;                      //!< End of the last transmission
};

const std::map<std::string, std::string> DISCIPLINES{{"fifo", "ns3::FifoQueueDisc"},
                                                     {"red", "ns3::RedQueueDisc"},
                                                     {"codel", "ns3::CoDelQueueDisc"},
                                                     {"fq_codel", "ns3::FqCoDelQueueDisc"},
                                                     {"pie", "ns3::PieQueueDisc"},
                                                     {"cobalt", "ns3::CobaltQueueDisc"},
                                                     {"agent", "ns3::ProbabilityQueueDisc"}};

/**
 * @tparam Disc Class of a discipline with random variables.
 * @param discipline A discipline.
 * @param stream Stream of the random variables, if the discipline has this class.
 */
template <typename Disc>
void
AssignStreams(Ptr<QueueDisc> discipline, int64_t stream)
{
    if (const auto drawing = DynamicCast<Disc>(discipline))
    {
        drawing->AssignStreams(stream);
    }
}

/**
 * Install the queue of a bottleneck.
 *
 * @param name A key of DISCIPLINES.
 * @param parameters The properties of the network.
 * @param buffer Packets in the queue.
 * @param packetSize Size of IP packets in bytes.
 * @param device The device after the queue.
 * @param stream Stream of the discipline's random variables.
 * @return the discipline; for `agent` a ProbabilityQueueDisc
 */
Ptr<QueueDisc>
InstallQueueDiscipline(const std::string& name,
                       const NetworkParameters& parameters,
                       uint32_t buffer,
                       uint32_t packetSize,
                       Ptr<NetDevice> device,
                       int64_t stream)
{
    TrafficControlHelper helper;
    helper.SetRootQueueDisc(DISCIPLINES.at(name));
    const auto discipline = helper.Install(device).Get(0);
    const QueueSize size(QueueSizeUnit::PACKETS, buffer);
    discipline->SetAttribute("MaxSize", QueueSizeValue(size));
    if (name != "fifo")
    {
        discipline->SetAttribute("UseEcn", BooleanValue(parameters.ecn));
    }
    if (name == "red" || name == "pie")
    {
        discipline->SetAttribute("MeanPktSize", UintegerValue(packetSize));
    }
    if (name == "red")
    {
        discipline->SetAttribute("LinkBandwidth", DataRateValue(parameters.rate));
        discipline->SetAttribute("LinkDelay", TimeValue(parameters.delay));
    }
    AssignStreams<RedQueueDisc>(discipline, stream);
    AssignStreams<PieQueueDisc>(discipline, stream);
    AssignStreams<CobaltQueueDisc>(discipline, stream);
    AssignStreams<ProbabilityQueueDisc>(discipline, stream);
    return discipline;
}

/**
 * Add a device to a node, with a queue that stops earlier queues when it is full.
 *
 * @param device The device.
 * @param node The node.
 * @param size Packets in the device's queue.
 * @param channel Channel of the device.
 */
void
InstallDevice(Ptr<PointToPointNetDevice> device,
              Ptr<Node> node,
              uint32_t size,
              Ptr<PointToPointChannel> channel)
{
    device->SetAddress(Mac48Address::Allocate());
    node->AddDevice(device);
    const auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, size));
    device->SetQueue(queue);
    const auto interface = CreateObject<NetDeviceQueueInterface>();
    interface->GetTxQueue(0)->ConnectQueueTraces(queue);
    device->AggregateObject(interface);
    device->Attach(channel);
}

/**
 * @param probability Probability of a loss.
 * @param stream Stream of the random variable.
 * @return a model that loses packets
 */
Ptr<ErrorModel>
MakeLoss(double probability, int64_t stream)
{
    const auto loss = CreateObject<RateErrorModel>();
    loss->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    loss->SetRate(probability);
    loss->AssignStreams(stream);
    return loss;
}

/**
 * @param router Number of a router.
 * @return the network of its senders and receivers, a /16
 */
Ipv4Address
GetLeafNetwork(uint32_t router)
{
    return Ipv4Address((20U << 24) | (router << 16));
}

/**
 * @param hop Number of a bottleneck.
 * @return the network of the bottleneck, a /24
 */
Ipv4Address
GetLinkNetwork(uint32_t hop)
{
    return Ipv4Address((21U << 24) | (hop << 8));
}

/**
 * @param node A node.
 * @return the static routes of the node
 */
Ptr<Ipv4StaticRouting>
GetRoutes(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/**
 * Add a route over a link.
 *
 * @param node The node.
 * @param own Address of the node at the link.
 * @param network Destination network.
 * @param mask Mask of the network.
 * @param next Address at the other end of the link.
 */
void
AddRoute(Ptr<Node> node, Ipv4Address own, Ipv4Address network, Ipv4Mask mask, Ipv4Address next)
{
    const auto interface = node->GetObject<Ipv4>()->GetInterfaceForAddress(own);
    GetRoutes(node)->AddNetworkRouteTo(network, mask, next, interface);
}

/**
 * @return a helper that installs IPv4 and TCP
 */
InternetStackHelper
MakeStack()
{
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    return stack;
}

} // namespace

BottleneckNetwork::BottleneckNetwork(const NetworkParameters& parameters,
                                     uint32_t packetSize,
                                     Time duration)
    : m_parameters(parameters)
{
    const auto hops = parameters.GetHops();
    m_routers.Create(hops + 1);
    m_leaves.resize(hops + 1);
    MakeStack().Install(m_routers);
    const auto buffer = parameters.GetBuffer(duration, packetSize);
    for (uint32_t hop = 0; hop < hops; hop++)
    {
        BuildBottleneck(hop, packetSize, buffer);
    }
}

void
BottleneckNetwork::BuildBottleneck(uint32_t hop, uint32_t packetSize, uint32_t buffer)
{
    const auto channel = CreateObject<PointToPointChannel>();
    channel->SetAttribute("Delay", TimeValue(m_parameters.delay));
    Ptr<PointToPointNetDevice> near = CreateObject<TraceLinkDevice>();
    if (m_parameters.trace.empty())
    {
        near = CreateObject<PointToPointNetDevice>();
    }
    const auto far = CreateObject<PointToPointNetDevice>();
    InstallDevice(near, m_routers.Get(hop), m_parameters.deviceQueue, channel);
    InstallDevice(far, m_routers.Get(hop + 1), DEVICE_QUEUE, channel);
    near->SetDataRate(m_parameters.rate);
    far->SetDataRate(m_parameters.rate);
    if (m_parameters.loss > 0)
    {
        far->SetReceiveErrorModel(MakeLoss(m_parameters.loss, LOSS_STREAM + hop));
    }
    m_devices.push_back(near);
    m_disciplines.push_back(
        InstallQueueDiscipline(m_parameters.queueAgent ? "agent" : m_parameters.discipline,
                               m_parameters,
                               buffer,
                               packetSize,
                               near,
                               DISCIPLINE_STREAM + 10 * hop));
    Ipv4AddressHelper addresses(GetLinkNetwork(hop), LINK_MASK);
    NetDeviceContainer devices(near);
    devices.Add(far);
    const auto ends = addresses.Assign(devices);
    RouteOver(hop, ends.GetAddress(0), ends.GetAddress(1));
}

void
BottleneckNetwork::RouteOver(uint32_t hop, Ipv4Address near, Ipv4Address far)
{
    for (uint32_t target = 0; target < m_routers.GetN(); target++)
    {
        if (target > hop)
        {
            AddRoute(m_routers.Get(hop), near, GetLeafNetwork(target), LEAF_MASK, far);
        }
        else
        {
            AddRoute(m_routers.Get(hop + 1), far, GetLeafNetwork(target), LEAF_MASK, near);
        }
    }
    for (uint32_t other = 0; other < hop; other++)
    {
        AddRoute(m_routers.Get(hop + 1), far, GetLinkNetwork(other), LINK_MASK, near);
    }
    AddRoute(m_routers.Get(hop), near, AGENTS, AGENTS_MASK, far);
}

std::pair<Ptr<Node>, Ipv4Address>
BottleneckNetwork::AddLeaf(uint32_t router, bool sends)
{
    const auto node = CreateObject<Node>();
    MakeStack().Install(node);
    const auto channel = CreateObject<JitterChannel>();
    channel->SetAttribute("Delay", TimeValue(m_parameters.leafDelay));
    if (sends && m_parameters.leafJitter.IsStrictlyPositive())
    {
        channel->SetJitter(m_parameters.leafJitter, JITTER_STREAM + m_senders++);
    }
    NetDeviceContainer devices;
    for (const auto& end : {node, m_routers.Get(router)})
    {
        const auto device = CreateObject<PointToPointNetDevice>();
        device->SetDataRate(m_parameters.leafRate);
        InstallDevice(device, end, DEVICE_QUEUE, channel);
        devices.Add(device);
    }
    const auto network = GetLeafNetwork(router).Get() | (m_leaves[router]++ << 8);
    Ipv4AddressHelper addresses(Ipv4Address(network), "255.255.255.0");
    const auto ends = addresses.Assign(devices);
    GetRoutes(node)->SetDefaultRoute(ends.GetAddress(1), ends.Get(0).second);
    return {node, ends.GetAddress(0)};
}

BottleneckNetwork::Pair
BottleneckNetwork::AddPair(uint32_t first, uint32_t last)
{
    const auto [sender, from] = AddLeaf(first, true);
    const auto [receiver, to] = AddLeaf(last, false);
    return {sender, receiver, to, last - first};
}

BottleneckNetwork::Pair
BottleneckNetwork::AddFlow(uint32_t flow)
{
    const auto hops = m_parameters.GetHops();
    const auto turn = flow % (hops + 1);
    return hops == 1 || turn == 0 ? AddPair(0, hops) : AddPair(turn - 1, turn);
}

void
BottleneckNetwork::Start()
{
    const auto steps = m_parameters.ReadSteps();
    for (const auto& device : m_devices)
    {
        for (const auto& [time, rate] : *steps)
        {
            Simulator::Schedule(time, &PointToPointNetDevice::SetDataRate, device, rate);
        }
        if (const auto traced = DynamicCast<TraceLinkDevice>(device))
        {
            traced->SetTrace(m_parameters.capacity, Simulator::Now());
        }
    }
}

} // namespace ns3
