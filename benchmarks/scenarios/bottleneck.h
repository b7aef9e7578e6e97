// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_H
#define BOTTLENECK_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/opengym-data-container.h"
#include "ns3/queue-disc.h"

/** The network, as parameters of the scenario. */
struct BottleneckParameters
{
    uint32_t flows{8};                         //!< TCP connections
    ns3::DataRate dataRate{"100Mbps"};         //!< Of the bottleneck
    ns3::Time delay{ns3::MilliSeconds(10)};    //!< One-way, of the bottleneck
    ns3::Time interval{ns3::MilliSeconds(20)}; //!< Simulated time between two decisions
};

/**
 * TCP connections that send as fast as they can through a router, whose agent decides how many
 * packets may wait for the slow link behind it: few keep the delay short, many the link busy.
 *
 * The agent sees the packets that wait, Mb/s forwarded and packets dropped since its last decision,
 * and the present limit. Its reward is the share of the link that was used, less the time that the
 * waiting packets need, in units of 100 ms.
 */
class Bottleneck
{
  public:
    /**
     * Build the network, and introduce the agent.
     *
     * @param parameters The network to build.
     */
    explicit Bottleneck(const BottleneckParameters& parameters);

  private:
    /** Connect server, router and client; the queue of the router's slow link is the agent's. */
    void BuildNetwork();

    /** Let the connections begin, each at a random moment. */
    void StartFlows();

    /** Introduce the agent. */
    void Introduce();

    /** Let the agent decide. */
    void Ask();

    /**
     * @param action The limit's power of two.
     */
    void Act(ns3::Ptr<ns3::OpenGymDataContainer> action);

    BottleneckParameters m_parameters; //!< The parameters
    ns3::NodeContainer m_nodes;        //!< Server, router, client
    ns3::Ptr<ns3::QueueDisc> m_queue;  //!< Where packets wait for the bottleneck
    ns3::Ipv4Address m_client;         //!< Where the connections lead
    uint64_t m_forwarded{0};           //!< Bytes forwarded until the last decision
    uint64_t m_dropped{0};             //!< Packets dropped until the last decision
};

#endif /* BOTTLENECK_H */
