// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_SET_H
#define FLOW_SET_H

#include "bottleneck-network.h"
#include "interval-control.h"
#include "sender-parameters.h"
#include "tcp-flow.h"

#include "ns3/packet-sink.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

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
            BottleneckNetwork& network);

    /// Begin the episode: start all flows.
    void Start();

    /**
     * @param number Number of a flow.
     * @return the flow with its two ends
     */
    const Flow& GetFlow(uint32_t number) const;

    /**
     * @param first Number of a flow.
     * @param count Number of flows, beginning with that one.
     * @return their common totals
     */
    Totals Count(uint32_t first, uint32_t count) const;

    /**
     * @param first Number of a flow.
     * @param count Number of flows, beginning with that one.
     * @return their measurements in the last monitor interval
     */
    Interval MeasureInterval(uint32_t first, uint32_t count) const;

  private:
    /**
     * Add a flow.
     *
     * @param ends Sender and receiver.
     * @param control Congestion control of the flow.
     */
    void Add(const BottleneckNetwork::Pair& ends, Ptr<TcpCongestionOps> control);

    /**
     * @param flow Number of an observed flow.
     * @param parameters The properties of the network.
     * @return its congestion control
     */
    Ptr<TcpCongestionOps> MakeControl(uint32_t flow, const NetworkParameters& parameters) const;

    /**
     * @param parameters The properties of the network.
     * @return a control whose window or pacing rate is set once in an interval
     */
    Ptr<IntervalControl> MakeIntervalControl(const NetworkParameters& parameters) const;

    /**
     * Start a flow.
     *
     * @param flow The flow.
     * @param start Start time.
     * @param stay Duration; 0: until the end.
     */
    void Start(const Flow& flow, Time start, Time stay) const;

    const SenderParameters& m_senders;          //!< The senders and their times
    std::vector<std::unique_ptr<Flow>> m_flows; //!< Observed flows, then cross traffic
};

} // namespace ns3

#endif // FLOW_SET_H
