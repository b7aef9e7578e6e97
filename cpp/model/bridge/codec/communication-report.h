// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_REPORT_H
#define COMMUNICATION_REPORT_H

#include "ns3/callback.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The fate of messages so far.
 *
 * A message under way counts as sent only. A UDP message that the network loses counts as sent, but
 * neither as received nor as dropped: its loss is unknown.
 */
struct CommunicationCounts
{
    uint64_t txMessages{0};      //!< Messages accepted by the sender's end of the channel
    uint64_t txPayloadBytes{0};  //!< Size of sent contents
    uint64_t txBytes{0};         //!< Size of sent messages with the framing of the channel
    uint64_t rxMessages{0};      //!< Messages delivered to the receiver
    uint64_t rxPayloadBytes{0};  //!< Size of received contents
    uint64_t rxBytes{0};         //!< Size of received messages with the channel's framing
    uint64_t droppedMessages{0}; //!< Messages refused or dropped by the sender's end
    uint64_t droppedBytes{0};    //!< Size of dropped messages with the channel's framing
    Time minLatency{};           //!< Least latency of received messages; zero: none
    Time maxLatency{};           //!< Largest of received messages; zero: none
};

/**
 * @ingroup defiance
 *
 * @brief Messages of one kind from one application to another, through all channels between them.
 *
 * Latencies cover received messages; without any, they are zero.
 */
struct CommunicationFlowReport : CommunicationCounts
{
    std::string sender;    //!< The sender: "observation_0"
    std::string receiver;  //!< The receiver: "agent_0"
    std::string kind;      //!< The kind: "observation"
    double meanLatency{0}; //!< Mean latency in seconds
    Time p50Latency{};     //!< Median of the latencies, within 1 %
    Time p95Latency{};     //!< 95th percentile of the latencies, within 1 %
    Time p99Latency{};     //!< 99th percentile of the latencies, within 1 %
};

/**
 * @ingroup defiance
 *
 * @brief IP packets of the socket channels from one application to another.
 */
struct CommunicationPathReport
{
    std::string sender;    //!< Application on the packets' first node: "observation_0"
    std::string receiver;  //!< Application on the packets' last node: "agent_0"
    uint64_t packets{0};   //!< Packets that have left the sender's node
    uint64_t ipBytes{0};   //!< Bytes of the packets from the IP header on
    uint64_t wireBytes{0}; //!< Bytes of their frames on all links with a known rate
};

/**
 * @ingroup defiance
 *
 * @brief The traffic on a link with a known data rate.
 */
struct CommunicationLinkReport
{
    std::string name;                      //!< "node_0/device_1", or "bus_3" for a shared medium
    std::vector<std::string> applications; //!< RL applications on the sending nodes
    uint64_t dataRate{0};                  //!< Data rate in bit/s
    uint64_t frames{0};                    //!< All sent frames
    uint64_t bytes{0};                     //!< Bytes of all frames, link headers included
    uint64_t rlFrames{0};                  //!< Frames of RL applications' channels
    uint64_t rlBytes{0};                   //!< Bytes of those frames, link headers included
    Time busy{};                           //!< Transmission time of all frames
    Time counted{};                        //!< Time since counting began
};

/**
 * @ingroup defiance
 *
 * @brief The traffic between RL applications since the beginning of the episode.
 */
struct CommunicationReport
{
    std::vector<CommunicationFlowReport> flows; //!< Flows by sender, receiver and kind
    std::vector<CommunicationPathReport> paths; //!< Paths by sender and receiver
    std::vector<CommunicationLinkReport> links; //!< Links by node and device
};

/// Returns the traffic until a time: now, or the end of the episode.
using CommunicationReporter = Callback<CommunicationReport, Time>;

} // namespace ns3

#endif /* COMMUNICATION_REPORT_H */
