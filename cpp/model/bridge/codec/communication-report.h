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
 * @brief Messages of one kind from one application to another, through all channels between them.
 *
 * Latencies are of received messages, zero without any.
 */
struct CommunicationFlowReport
{
    std::string sender;          //!< The sender: "observation_0"
    std::string receiver;        //!< The receiver: "agent_0"
    std::string kind;            //!< The kind: "observation"
    uint64_t txMessages{0};      //!< Accepted by the sender's ends
    uint64_t txPayloadBytes{0};  //!< Their serialized contents
    uint64_t txBytes{0};         //!< With the framing of the channel
    uint64_t rxMessages{0};      //!< Handed to the receiver
    uint64_t rxPayloadBytes{0};  //!< Their serialized contents
    uint64_t rxBytes{0};         //!< With the framing of the channel
    uint64_t droppedMessages{0}; //!< Refused or dropped by the sender's ends
    uint64_t droppedBytes{0};    //!< With the framing of the channel
    double meanLatency{0};       //!< In seconds
    Time minLatency{};           //!< The least
    Time maxLatency{};           //!< The largest
    Time p50Latency{};           //!< Half of the messages took at most so long, within 1 %
    Time p95Latency{};           //!< 95 % of them did
    Time p99Latency{};           //!< 99 % of them did
};

/**
 * @ingroup defiance
 *
 * @brief IP packets of the socket channels from one application to another.
 */
struct CommunicationPathReport
{
    std::string sender;    //!< On whose node the packets begin: "observation_0"
    std::string receiver;  //!< On whose node they end: "agent_0"
    uint64_t packets{0};   //!< That have left the sender's node
    uint64_t ipBytes{0};   //!< Of these, with the headers of IP and above
    uint64_t wireBytes{0}; //!< Of their frames on all links with a known data rate
};

/**
 * @ingroup defiance
 *
 * @brief The traffic on a link with a known data rate.
 */
struct CommunicationLinkReport
{
    std::string name;                      //!< "node_0/device_1", or "bus_3" for a shared medium
    std::vector<std::string> applications; //!< RL applications on the nodes that send
    uint64_t dataRate{0};                  //!< In bit/s
    uint64_t frames{0};                    //!< All that was sent
    uint64_t bytes{0};                     //!< With the headers of the link
    uint64_t rlFrames{0};                  //!< Of these, those of channels of RL applications
    uint64_t rlBytes{0};                   //!< With the headers of the link
    Time busy{};                           //!< Time that the frames took to be sent
    Time counted{};                        //!< Time since counting began
};

/**
 * @ingroup defiance
 *
 * @brief The traffic between RL applications since the beginning of the episode.
 */
struct CommunicationReport
{
    std::vector<CommunicationFlowReport> flows; //!< By sender, receiver and kind
    std::vector<CommunicationPathReport> paths; //!< By sender and receiver
    std::vector<CommunicationLinkReport> links; //!< By node and device
};

/// Says what has been sent until a time, which is now, or when the episode has ended.
using CommunicationReporter = Callback<CommunicationReport, Time>;

} // namespace ns3

#endif /* COMMUNICATION_REPORT_H */
