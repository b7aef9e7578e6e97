// SPDX-License-Identifier: GPL-2.0-only

#ifndef BOTTLENECK_H
#define BOTTLENECK_H

#include "ns3/data-rate.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/opengym-data-container.h"
#include "ns3/queue-disc.h"

/** Properties of the network, as parameters of the scenario. */
struct BottleneckParameters
{
    uint32_t flows{8};                         //!< TCP connections
    ns3::DataRate dataRate{"100Mbps"};         //!< Data rate of the bottleneck
    ns3::Time delay{ns3::MilliSeconds(10)};    //!< One-way delay of the bottleneck
    ns3::Time interval{ns3::MilliSeconds(20)}; //!< Simulated time between two decisions
};

/**
 * TCP connections that send as fast as possible through a router. Its agent limits the queue of the
 * slow link behind it: a short queue keeps the delay low, a long one keeps the link busy.
 *
 * The agent observes the queue length, Mb/s forwarded and packets dropped since its last decision,
 * and the present limit. Its reward is the utilisation of the link minus the queueing delay in
 * units of 100 ms.
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
    /** Connect server, router and client; the agent limits the queue of the slow link. */
    void BuildNetwork();

    /** Start each connection at a random time. */
    void StartFlows();

    /** Introduce the agent. */
    void Introduce();

    /** Let the agent decide. */
    void Ask();

    /**
     * @param action The exponent of the limit, a power of two.
     */
    void Act(ns3::Ptr<ns3::OpenGymDataContainer> action);

    BottleneckParameters m_parameters; //!< The parameters
    ns3::NodeContainer m_nodes;        //!< Server, router, client
    ns3::Ptr<ns3::QueueDisc> m_queue;  //!< Queue in front of the bottleneck
    ns3::Ipv4Address m_client;         //!< Address of the client
    uint64_t m_forwarded{0};           //!< Bytes forwarded until the last decision
    uint64_t m_dropped{0};             //!< Packets dropped until the last decision
};

#endif /* BOTTLENECK_H */
