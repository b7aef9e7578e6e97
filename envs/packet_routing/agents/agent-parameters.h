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
 * @brief The policy of packet_routing: when agents decide, their observations and their rewards.
 */
struct RoutingAgentParameters
{
    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param topology Routers that there are.
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const;

    /**
     * @param topology Routers that there are.
     * @param fault Is set to what is wrong; empty: nothing.
     * @return the numbers of the routers that have an agent, in the order of agents
     */
    std::vector<uint32_t> FindControlled(const Topology& topology, std::string& fault) const;

    /**
     * @return whether agents are asked for each packet
     */
    bool IsPerPacket() const;

    /**
     * @return whether neighbours tell each other of their queues
     */
    bool HasMessages() const;

    std::string decisions{"packet"};  //!< packet, epoch
    Time interval{MilliSeconds(100)}; //!< Between two decisions, with decisions=epoch
    std::string controlled;           //!< Names of routers with an agent; empty: all
    std::string observation{"local"}; //!< local, link-state
    Time messageInterval{};           //!< Between two messages to neighbours; 0: none
    std::string reward{"hop"};        //!< hop, excess
    double lossPrice{1};              //!< Of a packet that is lost, in s
    std::string infos{"all"};         //!< all, brief
};

} // namespace ns3

#endif // ROUTING_AGENT_PARAMETERS_H
