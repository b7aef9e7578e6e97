// SPDX-License-Identifier: GPL-2.0-only

#include "tcp-congestion-environment.h"

#include "flow-action-app.h"
#include "flow-agent-app.h"
#include "flow-observation-app.h"
#include "flow-reward-app.h"
#include "flow-sender.h"
#include "per-ack-control.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inference-queue.h"
#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"
#include "ns3/tcp-prr-recovery.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint16_t PORT = 50'000;
constexpr int64_t JITTER_STREAM = 3000; //!< Of the starts of flows

} // namespace

TcpCongestionEnvironment::TcpCongestionEnvironment()
    : Environment(
          {.scenario = "tcp_congestion", .device = "sender", .accesses = {"point-to-point"}})
{
    m_deployment.placement = "local";
}

void
TcpCongestionEnvironment::Declare(RlSimulation& simulation)
{
    m_senderParameters.Declare(simulation);
    m_networkParameters.Declare(simulation);
    m_rewardParameters.Declare(simulation);
}

std::string
TcpCongestionEnvironment::FindContradiction() const
{
    for (const auto& fault :
         {m_senderParameters.FindContradiction(), m_networkParameters.FindContradiction()})
    {
        if (!fault.empty())
        {
            return fault;
        }
    }
    if (m_senderParameters.IsPerAck() &&
        (m_deployment.placement != "local" || m_deployment.transport != "simple" ||
         !m_deployment.actionDelay.IsZero()))
    {
        return "control=per_ack answers within a call of TCP, so it needs placement=local, "
               "transport=simple and no action_delay";
    }
    if (IsCentral() && m_senderParameters.interval.IsZero())
    {
        return "placement=central decides for all flows together, so interval=0, the round trip "
               "time of each, does not apply; set one";
    }
    return "";
}

uint32_t
TcpCongestionEnvironment::CountDevices() const
{
    return m_senderParameters.flows;
}

void
TcpCongestionEnvironment::SetSocketDefaults() const
{
    // Receivers' sockets are made by ns-3's PacketSink, which takes these only.
    Config::SetDefault("ns3::TcpSocket::RcvBufSize",
                       UintegerValue(m_senderParameters.socketBuffer));
    Config::SetDefault("ns3::TcpSocket::SndBufSize",
                       UintegerValue(m_senderParameters.socketBuffer));
    if (m_networkParameters.ecn)
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }
}

NodeContainer
TcpCongestionEnvironment::BuildDevices()
{
    SetSocketDefaults();
    const auto& senders = m_senderParameters;
    const auto duration = m_deployment.duration;
    m_network =
        std::make_unique<BottleneckNetwork>(m_networkParameters, senders.GetPacketSize(), duration);
    const auto capacity = m_networkParameters.GetMeanRate(duration);
    m_clock = std::make_unique<MonitorClock>(
        senders.interval,
        FlowRewards(m_rewardParameters, capacity, senders.crossFlows));
    NodeContainer nodes;
    for (uint32_t i = 0; i < senders.flows; i++)
    {
        const auto ends = m_network->AddFlow(i);
        AddFlow(ends, MakeControl());
        m_clock->Add(m_flows[i]->flow, m_networkParameters.GetPropagationTime(ends.hops));
        nodes.Add(ends.sender);
    }
    ObjectFactory cross;
    cross.SetTypeId(SenderParameters::FindAlgorithm(senders.crossTraffic));
    for (uint32_t i = 0; i < senders.crossFlows; i++)
    {
        AddFlow(m_network->AddCrossTraffic(i), cross.Create<TcpCongestionOps>());
    }
    return nodes;
}

void
TcpCongestionEnvironment::AddFlow(const BottleneckNetwork::Pair& ends,
                                  Ptr<TcpCongestionOps> control)
{
    auto added = std::make_unique<Flow>();
    added->ends = ends;
    added->control = control;
    added->flow = CreateObject<TcpFlow>();
    ends.sender->AggregateObject(added->flow);
    added->sink = CreateObject<PacketSink>();
    added->sink->SetAttribute("Protocol", TypeIdValue(TcpSocketFactory::GetTypeId()));
    added->sink->SetAttribute("Local",
                              AddressValue(InetSocketAddress(Ipv4Address::GetAny(), PORT)));
    added->sink->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, const Address&>(
            [counted = added.get()](Ptr<const Packet>, const Address&) { counted->received++; }));
    m_flows.push_back(std::move(added));
}

Ptr<TcpCongestionOps>
TcpCongestionEnvironment::MakeControl() const
{
    if (m_senderParameters.IsPerAck())
    {
        return CreateObject<PerAckControl>();
    }
    if (m_senderParameters.HasAgents())
    {
        return MakeIntervalControl();
    }
    ObjectFactory algorithm;
    algorithm.SetTypeId(SenderParameters::FindAlgorithm(m_senderParameters.algorithm));
    return algorithm.Create<TcpCongestionOps>();
}

Ptr<IntervalControl>
TcpCongestionEnvironment::MakeIntervalControl() const
{
    const auto& senders = m_senderParameters;
    const double window = senders.initialWindow * senders.segmentSize;
    const auto longest = senders.maxWindow * senders.segmentSize;
    const auto control = CreateObject<IntervalControl>();
    control->SetAttribute("MaxWindow", UintegerValue(longest));
    control->SetAttribute("Window", DoubleValue(window));
    if (senders.control == "rate")
    {
        const auto hops = m_networkParameters.GetHops();
        const auto time = m_networkParameters.GetPropagationTime(hops).GetSeconds();
        const auto rate = 8 * window / std::max(time, 1e-3);
        control->SetAttribute(
            "MaxRate",
            DoubleValue(static_cast<double>(m_networkParameters.leafRate.GetBitRate())));
        control->SetRate(rate);
    }
    return control;
}

void
TcpCongestionEnvironment::StartDevices()
{
    const auto& senders = m_senderParameters;
    m_network->Start();
    m_clock->Start();
    const auto jitter = CreateObject<UniformRandomVariable>();
    jitter->SetStream(JITTER_STREAM);
    jitter->SetAttribute("Max", DoubleValue(senders.startJitter.GetSeconds()));
    for (uint32_t i = 0; i < m_flows.size(); i++)
    {
        const bool observed = i < senders.flows;
        const auto turn = observed ? senders.joinInterval * int64x64_t(i) : Time();
        const auto start = turn + Seconds(jitter->GetValue());
        StartFlow(i, start, observed ? senders.stay : Time());
    }
}

void
TcpCongestionEnvironment::StartFlow(uint32_t number, Time start, Time stay)
{
    const auto& flow = *m_flows[number];
    const auto classic = m_senderParameters.recovery == "classic";
    const auto sender = CreateObject<FlowSender>();
    sender->SetAttribute("Remote", AddressValue(InetSocketAddress(flow.ends.address, PORT)));
    sender->SetAttribute("SegmentSize", UintegerValue(m_senderParameters.segmentSize));
    sender->SetAttribute("InitialWindow", UintegerValue(m_senderParameters.initialWindow));
    sender->SetAttribute(
        "Recovery",
        TypeIdValue(classic ? TcpClassicRecovery::GetTypeId() : TcpPrrRecovery::GetTypeId()));
    sender->SetControl(flow.control);
    sender->SetStartTime(start);
    if (stay.IsStrictlyPositive())
    {
        sender->SetStopTime(start + stay);
    }
    flow.ends.receiver->AddApplication(flow.sink);
    flow.ends.sender->AddApplication(sender);
}

DeviceApplications
TcpCongestionEnvironment::MakeApplications(uint32_t device)
{
    const auto reward = CreateObject<FlowRewardApp>();
    if (m_senderParameters.IsPerAck())
    {
        return {.observation = nullptr, .reward = reward, .action = nullptr};
    }
    const auto observation = CreateObject<FlowObservationApp>();
    observation->SetFeatures(FlowFeatures(m_senderParameters.observation == "relative"));
    const auto action = CreateObject<FlowActionApp>();
    action->SetControl(DynamicCast<IntervalControl>(m_flows[device]->control),
                       m_senderParameters.segmentSize);
    return {.observation = observation, .reward = reward, .action = action};
}

Ptr<AgentApplication>
TcpCongestionEnvironment::MakeAgent(uint32_t agent)
{
    if (!m_senderParameters.IsPerAck())
    {
        return MakeIntervalAgent(agent);
    }
    const auto made = CreateObject<PerAckAgentApp>();
    made->SetFlow(m_flows[agent]->flow);
    made->SetReport([this, agent] { return Report(agent, 1); });
    DynamicCast<PerAckControl>(m_flows[agent]->control)
        ->SetDecider([made](const CongestionQuestion& question) { return made->Decide(question); });
    return made;
}

Ptr<AgentApplication>
TcpCongestionEnvironment::MakeIntervalAgent(uint32_t agent)
{
    const auto flows = IsCentral() ? m_senderParameters.flows : 1;
    const auto made = CreateObject<FlowAgentApp>();
    made->SetAttribute("FirstFlow", UintegerValue(agent));
    made->SetAttribute("Flows", UintegerValue(flows));
    made->SetAttribute("Central", BooleanValue(IsCentral()));
    made->SetAttribute("Continuous", BooleanValue(m_senderParameters.actions == "continuous"));
    made->SetBounds(FlowFeatures(m_senderParameters.observation == "relative").GetHigh());
    made->SetReport([this, agent, flows] { return Report(agent, flows); });
    return made;
}

OpenGymInfo
TcpCongestionEnvironment::Report(uint32_t first, uint32_t count) const
{
    int64_t packets = 0;
    int64_t bytes = 0;
    int64_t retransmissions = 0;
    for (uint32_t i = first; i < first + count; i++)
    {
        packets += m_flows[i]->received;
        bytes += m_flows[i]->sink->GetTotalRx();
        retransmissions += m_flows[i]->flow->GetRetransmissions();
    }
    int64_t crossBytes = 0;
    for (uint32_t i = m_senderParameters.flows; i < m_flows.size(); i++)
    {
        crossBytes += m_flows[i]->sink->GetTotalRx();
    }
    int64_t queued = 0;
    int64_t dropped = 0;
    int64_t marked = 0;
    for (uint32_t hop = 0; hop < m_networkParameters.GetHops(); hop++)
    {
        const auto discipline = m_network->GetDiscipline(hop);
        queued += discipline->GetNPackets();
        dropped += discipline->GetStats().nTotalDroppedPackets;
        marked += discipline->GetStats().nTotalMarkedPackets;
    }
    return {{"received_packets", packets},
            {"received_bytes", bytes},
            {"retransmissions", retransmissions},
            {"cross_received_bytes", crossBytes},
            {"queue_packets", queued},
            {"queue_drops", dropped},
            {"queue_marks", marked}};
}

} // namespace ns3
