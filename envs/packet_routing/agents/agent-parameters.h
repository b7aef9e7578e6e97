// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTING_AGENT_PARAMETERS_H
#define ROUTING_AGENT_PARAMETERS_H

#include "topology.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief The agents of packet_routing: times of decisions, observations and rewards.
 */
struct RoutingAgentParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param topology The routers.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const;

    /**
     * @param topology The routers.
     * @param fault Set to the fault; empty: no fault.
     * @return the numbers of the routers that have an agent, in the order of agents
     */
    std::vector<uint32_t> FindControlled(const Topology& topology, std::string& fault) const;

    /**
     * @return whether agents decide for each packet
     */
    bool IsPerPacket() const;

    /**
     * @return whether neighbours exchange messages about their queues
     */
    bool HasMessages() const;

    std::string decisions{"packet"};  //!< Kind: packet, epoch
    Time interval{MilliSeconds(100)}; //!< Interval of decisions, with decisions=epoch
    std::string controlled;           //!< Names of routers with an agent; empty: all
    std::string observation{"local"}; //!< Kind: local, link-state
    Time messageInterval{};           //!< Interval of messages to neighbours; 0: none
    std::string reward{"hop"};        //!< Kind: hop, excess
    double lossPrice{1};              //!< Price of a lost packet, in s
    std::string infos{"all"};         //!< Kind: all, brief
};

} // namespace ns3

#endif // ROUTING_AGENT_PARAMETERS_H
