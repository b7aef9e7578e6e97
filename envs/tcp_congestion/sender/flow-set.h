// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_SET_H
#define FLOW_SET_H

#include "bottleneck-network.h"
#include "flow-sender.h"
#include "interval-control.h"
#include "per-ack-agent-app.h"
#include "sender-parameters.h"
#include "tcp-flow.h"

#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet-sink.h"
#include "ns3/random-variable-stream.h"
#include "ns3/tcp-socket-factory.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3
{

constexpr uint16_t PORT = 50'000;      //!< Port of receivers
constexpr int64_t START_STREAM = 3000; //!< Stream of flow starts

/**
 * @brief All flows of an episode, each with its sender, receiver and congestion control.
 */
class FlowSet
{
  public:
    /**
     * The flows' totals so far.
     */
    struct Totals
    {
        int64_t packets{0};         //!< Packets read by receivers
        int64_t bytes{0};           //!< Bytes read by receivers
        int64_t retransmissions{0}; //!< Retransmitted segments
    };

    /**
     * The measurements of senders in the last monitor interval.
     */
    struct Interval
    {
        double throughput{0};    //!< Sum over active flows, acknowledged, in Mb/s
        double roundTripTime{0}; //!< Mean over active flows, in ms; 0: unknown
    };

    /**
     * A flow with its two ends.
     */
    struct Flow
    {
        BottleneckNetwork::Pair ends;  //!< Nodes
        Ptr<TcpFlow> flow;             //!< Flow at its sender
        Ptr<TcpCongestionOps> control; //!< Algorithm of the sender
        Ptr<PacketSink> sink;          //!< Receiver of the flow
        int64_t packets{0};            //!< Packets read by the receiver
    };

    /**
     * Add the flows to a network: observed flows, then cross traffic.
     *
     * @param senders The senders and their times.
     * @param parameters The properties of the network.
     * @param network The network.
     */
    FlowSet(const SenderParameters& senders,
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

    /// Begin the episode: start all flows.
    void Start()
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

    /**
     * @param number Number of a flow.
     * @return the flow with its two ends
     */
    const Flow& GetFlow(uint32_t number) const
    {
        return *m_flows[number];
    }

    /**
     * @param first Number of a flow.
     * @param count Number of flows, beginning with that one.
     * @return their common totals
     */
    Totals Count(uint32_t first, uint32_t count) const
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

    /**
     * @param first Number of a flow.
     * @param count Number of flows, beginning with that one.
     * @return their measurements in the last monitor interval
     */
    Interval MeasureInterval(uint32_t first, uint32_t count) const
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

  private:
    /**
     * Add a flow.
     *
     * @param ends Sender and receiver.
     * @param control Congestion control of the flow.
     */
    void Add(const BottleneckNetwork::Pair& ends, Ptr<TcpCongestionOps> control)
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
                [counted = added.get()](Ptr<const Packet>, const Address&) {
                    counted->packets++;
                }));
        m_flows.push_back(std::move(added));
    }

    /**
     * @param flow Number of an observed flow.
     * @param parameters The properties of the network.
     * @return its congestion control
     */
    Ptr<TcpCongestionOps> MakeControl(uint32_t flow, const NetworkParameters& parameters) const
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

    /**
     * @param parameters The properties of the network.
     * @return a control whose window or pacing rate is set once in an interval
     */
    Ptr<IntervalControl> MakeIntervalControl(const NetworkParameters& parameters) const
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

    /**
     * Start a flow.
     *
     * @param flow The flow.
     * @param start Start time.
     * @param stay Duration; 0: until the end.
     */
    void Start(const Flow& flow, Time start, Time stay) const
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

    const SenderParameters& m_senders;          //!< The senders and their times
    std::vector<std::unique_ptr<Flow>> m_flows; //!< Observed flows, then cross traffic
};

} // namespace ns3

#endif // FLOW_SET_H
