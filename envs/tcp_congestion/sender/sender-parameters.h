// SPDX-License-Identifier: GPL-2.0-only

#ifndef SENDER_PARAMETERS_H
#define SENDER_PARAMETERS_H

#include "ns3/nstime.h"
#include "ns3/rl-per-agent.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The senders of tcp_congestion, their times, and the source of their rates.
 */
struct SenderParameters
{
    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return whether an agent decides in any flow, rather than an algorithm of ns-3
     */
    bool HasAgents() const;

    /**
     * @param flow Number of a flow.
     * @return what decides in it: agent, or the name of an algorithm of ns-3
     */
    const std::string& GetAlgorithm(uint32_t flow) const;

    /**
     * @return whether agents are asked within calls of TCP
     */
    bool IsPerAck() const;

    /**
     * @return length of IP packets in bytes
     */
    uint32_t GetPacketSize() const;

    /**
     * @param name Name of an algorithm of ns-3, as a parameter has it.
     * @return its class
     */
    static TypeId FindAlgorithm(const std::string& name);

    uint32_t flows{1};                   //!< Number of flows that are observed
    std::string control{"window"};       //!< The quantity that agents set: window, rate, per_ack
    std::string actionSpace{"discrete"}; //!< discrete, proportional, continuous
    PerAgent<std::string> algorithm{std::string("agent")}; //!< agent, or one of ns-3
    Time interval{MilliSeconds(50)};     //!< Monitor interval; 0: a round trip time
    std::string observation{"absolute"}; //!< absolute, relative, history
    Time joinInterval{};                 //!< From the start of one flow to that of the next
    Time stay{};                         //!< From start to stop of a flow; 0: to the end
    Time startJitter{MilliSeconds(100)}; //!< Longest random delay of a start
    std::string crossTraffic{"cubic"};   //!< Algorithm of cross traffic
    uint32_t crossFlows{0};              //!< Number of flows of cross traffic
    uint32_t segmentSize{1448};          //!< Payload of a segment in bytes
    uint32_t initialWindow{10};          //!< In segments
    uint32_t maxWindow{1000};            //!< Largest window that agents set, in segments
    uint32_t socketBuffer{1 << 20};      //!< Of senders and receivers, in bytes
    Time minRto{Seconds(1)};             //!< Shortest retransmission timeout
    std::string recovery{"prr"};         //!< Loss recovery: prr, classic
};

} // namespace ns3

#endif // SENDER_PARAMETERS_H
