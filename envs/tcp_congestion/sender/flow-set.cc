// SPDX-License-Identifier: GPL-2.0-only

#include "flow-set.h"

#include "flow-sender.h"
#include "per-ack-agent-app.h"

#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/random-variable-stream.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint16_t PORT = 50'000;      //!< Port of receivers
constexpr int64_t START_STREAM = 3000; //!< Stream of flow starts

} // namespace

FlowSet::FlowSet(const SenderParameters& senders,
                 const NetworkParameters& parameters,
                 BottleneckNetwork& network)
    : m_senders(senders)
{
    for (uint32_t i = 0; i < senders.flows; i++)
    {
        Add(network.AddFlow(i), MakeControl(i, parameters));
    }
    ObjectFactory cross;
    cross.SetTypeId(SenderParameters::FindAlgorithm(senders.crossTraffic));
    for (uint32_t i = 0; i < senders.crossFlows; i++)
    {
        Add(network.AddCrossTraffic(i), cross.Create<TcpCongestionOps>());
    }
}

void
FlowSet::Add(const BottleneckNetwork::Pair& ends, Ptr<TcpCongestionOps> control)
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
            [counted = added.get()](Ptr<const Packet>, const Address&) { counted->packets++; }));
    m_flows.push_back(std::move(added));
}

Ptr<TcpCongestionOps>
FlowSet::MakeControl(uint32_t flow, const NetworkParameters& parameters) const
{
    if (m_senders.IsPerAck())
    {
        return CreateObject<PerAckControl>();
    }
    if (m_senders.GetAlgorithm(flow) == "agent")
    {
        return MakeIntervalControl(parameters);
    }
    ObjectFactory algorithm;
    algorithm.SetTypeId(SenderParameters::FindAlgorithm(m_senders.GetAlgorithm(flow)));
    return algorithm.Create<TcpCongestionOps>();
}

Ptr<IntervalControl>
FlowSet::MakeIntervalControl(const NetworkParameters& parameters) const
{
    const double window = m_senders.initialWindow * m_senders.segmentSize;
    const auto control =
        CreateObject<IntervalControl>(window,
                                      m_senders.maxWindow * m_senders.segmentSize,
                                      static_cast<double>(parameters.leafRate.GetBitRate()));
    if (m_senders.control == "rate")
    {
        const auto time = parameters.GetPropagationTime(parameters.GetHops()).GetSeconds();
        control->SetRate(8 * window / std::max(time, 1e-3));
    }
    return control;
}

void
FlowSet::Start()
{
    const auto jitter = CreateObject<UniformRandomVariable>();
    jitter->SetStream(START_STREAM);
    jitter->SetAttribute("Max", DoubleValue(m_senders.startJitter.GetSeconds()));
    for (uint32_t i = 0; i < m_flows.size(); i++)
    {
        const bool observed = i < m_senders.flows;
        const auto turn = observed ? m_senders.joinInterval * int64x64_t(i) : Time();
        const auto start = turn + Seconds(jitter->GetValue());
        Start(*m_flows[i], start, observed ? m_senders.stay : Time());
    }
}

void
FlowSet::Start(const Flow& flow, Time start, Time stay) const
{
    const auto sender = MakeFlowSender(m_senders,
                                       InetSocketAddress(flow.ends.address, PORT),
                                       flow.control,
                                       flow.flow);
    sender->SetStartTime(start);
    if (stay.IsStrictlyPositive())
    {
        sender->SetStopTime(start + stay);
    }
    flow.ends.receiver->AddApplication(flow.sink);
    flow.ends.sender->AddApplication(sender);
}

const FlowSet::Flow&
FlowSet::GetFlow(uint32_t number) const
{
    return *m_flows[number];
}

FlowSet::Totals
FlowSet::Count(uint32_t first, uint32_t count) const
{
    Totals totals;
    for (uint32_t i = first; i < first + count; i++)
    {
        totals.packets += m_flows[i]->packets;
        totals.bytes += m_flows[i]->sink->GetTotalRx();
        totals.retransmissions += m_flows[i]->flow->GetRetransmissions();
    }
    return totals;
}

FlowSet::Interval
FlowSet::MeasureInterval(uint32_t first, uint32_t count) const
{
    Interval measured;
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t i = first; i < first + count; i++)
    {
        const auto& flow = *m_flows[i]->flow;
        const auto& sample = flow.GetSample();
        if (flow.IsActive() && sample.rtt.IsStrictlyPositive())
        {
            measured.throughput += 1e-6 * sample.throughput;
            sum += 1e3 * sample.rtt.GetSeconds();
            known++;
        }
    }
    measured.roundTripTime = known > 0 ? sum / known : 0;
    return measured;
}

} // namespace ns3
