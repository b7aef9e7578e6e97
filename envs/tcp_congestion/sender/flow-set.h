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
        int64_t packets{0};         //!< That receivers have read
        int64_t bytes{0};           //!< That receivers have read
        int64_t retransmissions{0}; //!< Segments sent again
    };

    /**
     * The measurements of senders in the last monitor interval.
     */
    struct Interval
    {
        double throughput{0};    //!< Acknowledged, sum over the flows that are there, in Mb/s
        double roundTripTime{0}; //!< Mean over the flows that are there, in ms; 0: none known
    };

    /**
     * Add the flows to a network: observed ones, then cross traffic.
     *
     * @param senders The senders and their times.
     * @param parameters The properties of the network.
     * @param network The network.
     */
    FlowSet(const SenderParameters& senders,
            const NetworkParameters& parameters,
            BottleneckNetwork& network);

    /// The episode begins: start all flows.
    void Start();

    /**
     * @param number Number of a flow.
     * @return the flow
     */
    Ptr<TcpFlow> GetFlow(uint32_t number) const;

    /**
     * @param number Number of a flow.
     * @return where it is sent from and to
     */
    const BottleneckNetwork::Pair& GetEnds(uint32_t number) const;

    /**
     * @param number Number of a flow.
     * @return what decides how much it sends
     */
    Ptr<TcpCongestionOps> GetControl(uint32_t number) const;

    /**
     * @param first Number of a flow.
     * @param count How many, from that one on.
     * @return what they have done together
     */
    Totals Count(uint32_t first, uint32_t count) const;

    /**
     * @param first Number of a flow.
     * @param count How many, from that one on.
     * @return what they have measured in the last monitor interval
     */
    Interval MeasureInterval(uint32_t first, uint32_t count) const;

    /**
     * @return what cross traffic has done
     */
    Totals CountCrossTraffic() const;

  private:
    /**
     * A flow with its two ends.
     */
    struct Flow
    {
        BottleneckNetwork::Pair ends;  //!< Nodes
        Ptr<TcpFlow> flow;             //!< As its sender sees it
        Ptr<TcpCongestionOps> control; //!< Decides how much is sent
        Ptr<PacketSink> sink;          //!< Receives
        int64_t packets{0};            //!< That it has read
    };

    /**
     * Add a flow.
     *
     * @param ends Its ends.
     * @param control Decides how much is sent.
     */
    void Add(const BottleneckNetwork::Pair& ends, Ptr<TcpCongestionOps> control);

    /**
     * @param flow Number of an observed flow.
     * @param parameters The properties of the network.
     * @return what decides how much it sends
     */
    Ptr<TcpCongestionOps> MakeControl(uint32_t flow, const NetworkParameters& parameters) const;

    /**
     * @param parameters The properties of the network.
     * @return a window or pacing rate that is set once in an interval
     */
    Ptr<IntervalControl> MakeIntervalControl(const NetworkParameters& parameters) const;

    /**
     * Start a flow.
     *
     * @param flow The flow.
     * @param start When.
     * @param stay How long it sends; 0: to the end.
     */
    void Start(const Flow& flow, Time start, Time stay) const;

    const SenderParameters& m_senders;          //!< The senders and their times
    std::vector<std::unique_ptr<Flow>> m_flows; //!< Observed ones, then cross traffic
};

} // namespace ns3

#endif // FLOW_SET_H
