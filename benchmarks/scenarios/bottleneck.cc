// SPDX-License-Identifier: GPL-2.0-only

#include "bottleneck.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-builders.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/traffic-control-helper.h"

#include <algorithm>
#include <limits>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 5000;
constexpr uint32_t LEAST_LIMIT = 8; //!< Packets that may wait after action 0; doubled by each next
const QueueSize INITIAL_LIMIT("128p");

} // namespace

Bottleneck::Bottleneck(const BottleneckParameters& parameters)
    : m_parameters(parameters),
      m_nodes(3)
{
    BuildNetwork();
    StartFlows();
    Introduce();
    Simulator::Schedule(m_parameters.interval, &Bottleneck::Ask, this);
}

void
Bottleneck::BuildNetwork()
{
    InternetStackHelper().Install(m_nodes);
    PointToPointHelper fast;
    fast.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    PointToPointHelper slow;
    slow.SetDeviceAttribute("DataRate", DataRateValue(m_parameters.dataRate));
    slow.SetChannelAttribute("Delay", TimeValue(m_parameters.delay));
    slow.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1p")); // others wait in m_queue
    const auto serverSide = fast.Install(m_nodes.Get(0), m_nodes.Get(1));
    const auto clientSide = slow.Install(m_nodes.Get(1), m_nodes.Get(2));

    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", QueueSizeValue(INITIAL_LIMIT));
    m_queue = control.Install(clientSide.Get(0)).Get(0);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(serverSide);
    m_client = Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(clientSide).GetAddress(1);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

void
Bottleneck::StartFlows()
{
    const InetSocketAddress client(m_client, PORT);
    PacketSinkHelper("ns3::TcpSocketFactory", client).Install(m_nodes.Get(2));
    const auto start = CreateObject<UniformRandomVariable>();
    for (uint32_t flow = 0; flow < m_parameters.flows; ++flow)
    {
        const auto sender = BulkSendHelper("ns3::TcpSocketFactory", client).Install(m_nodes.Get(0));
        sender.Start(Seconds(start->GetValue(0, 0.1)));
    }
}

void
Bottleneck::Introduce()
{
    auto interface = OpenGymMultiAgentInterface::Get();
    interface->SetGetObservationSpaceCb(
        "router",
        Callback<Ptr<OpenGymSpace>>([]() -> Ptr<OpenGymSpace> {
            return MakeBoxSpace<float>(4, 0, std::numeric_limits<float>::max());
        }));
    interface->SetGetActionSpaceCb("router", Callback<Ptr<OpenGymSpace>>([]() -> Ptr<OpenGymSpace> {
                                       return MakeDiscreteSpace(8);
                                   }));
}

void
Bottleneck::Ask()
{
    const auto& stats = m_queue->GetStats();
    const auto seconds = m_parameters.interval.GetSeconds();
    const auto rate = 8.0 * (stats.nTotalSentBytes - m_forwarded) / seconds;
    const auto dropped = stats.nTotalDroppedPackets - m_dropped;
    m_forwarded = stats.nTotalSentBytes;
    m_dropped = stats.nTotalDroppedPackets;
    const auto capacity = static_cast<double>(m_parameters.dataRate.GetBitRate());
    const auto wait = 8.0 * m_queue->GetNBytes() / capacity;
    OpenGymMultiAgentInterface::Get()->NotifyCurrentState(
        "router",
        MakeBoxContainer<float>(4,
                                m_queue->GetNPackets(),
                                rate / 1e6,
                                dropped,
                                m_queue->GetMaxSize().GetValue()),
        rate / capacity - wait / 0.1,
        false,
        {},
        Time(0),
        MakeCallback(&Bottleneck::Act, this));
    Simulator::Schedule(m_parameters.interval, &Bottleneck::Ask, this);
}

void
Bottleneck::Act(Ptr<OpenGymDataContainer> action)
{
    const auto power = action->GetObject<OpenGymDiscreteContainer>()->GetValue();
    const QueueSize limit(QueueSizeUnit::PACKETS, LEAST_LIMIT << power);
    m_queue->SetMaxSize(std::max(limit, m_queue->GetCurrentSize())); // waiting packets stay
}
