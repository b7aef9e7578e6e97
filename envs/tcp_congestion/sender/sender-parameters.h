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
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return whether an agent controls any flow
     */
    bool HasAgents() const;

    /**
     * @param flow Number of a flow.
     * @return its algorithm: agent, or the name of an ns-3 algorithm
     */
    const std::string& GetAlgorithm(uint32_t flow) const;

    /**
     * @return whether agents decide within TCP calls
     */
    bool IsPerAck() const;

    /**
     * @return length of IP packets in bytes
     */
    uint32_t GetPacketSize() const;

    /**
     * @param name Name of an ns-3 algorithm, as in the parameter.
     * @return the class
     */
    static TypeId FindAlgorithm(const std::string& name);

    uint32_t flows{1};                   //!< Number of observed flows
    std::string control{"window"};       //!< Quantity of actions: window, rate, per_ack
    std::string actionSpace{"discrete"}; //!< Kind: discrete, proportional, continuous
    PerAgent<std::string> algorithm{std::string("agent")}; //!< agent, or an ns-3 algorithm
    Time interval{MilliSeconds(50)};     //!< Monitor interval; 0: a round trip time
    std::string observation{"absolute"}; //!< Kind: absolute, relative, history
    Time joinInterval{};                 //!< Interval between starts of flows
    Time stay{};                         //!< Duration of a flow; 0: until the end
    Time startJitter{MilliSeconds(100)}; //!< Maximum random delay of a start
    std::string crossTraffic{"cubic"};   //!< Algorithm of cross traffic
    uint32_t crossFlows{0};              //!< Number of flows of cross traffic
    uint32_t segmentSize{1448};          //!< Payload of a segment in bytes
    uint32_t initialWindow{10};          //!< Initial window in segments
    uint32_t maxWindow{1000};            //!< Largest window of agents, in segments
    uint32_t socketBuffer{1 << 20};      //!< Socket buffer in bytes
    Time minRto{Seconds(1)};             //!< Shortest retransmission timeout
    std::string recovery{"prr"};         //!< Loss recovery: prr, classic
};

} // namespace ns3

#endif // SENDER_PARAMETERS_H
