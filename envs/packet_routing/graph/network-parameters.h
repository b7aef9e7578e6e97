// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTING_NETWORK_PARAMETERS_H
#define ROUTING_NETWORK_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;
class Topology;

/**
 * @brief The properties of the network of packet_routing.
 */
struct RoutingNetworkParameters
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
     * @return whether links fail in the episode
     */
    bool HasFailures() const;

    std::string topology{"irregular-grid"}; //!< Name, grid:<rows>x<columns>, or text
    DataRate linkRate{"1Mbps"};             //!< Of links that say none
    Time linkDelay{MilliSeconds(1)};        //!< One way, of links that say none
    uint32_t buffer{100};                   //!< Packets that wait at an interface
    std::string metric{"hops"};             //!< Of shortest paths: hops, delay
    std::string routing{"agent"};           //!< The source of choices: agent, global
    uint32_t hopLimit{64};                  //!< Links that a packet crosses at most
    Time failureInterval{};                 //!< Mean time until a link fails; 0: never
    Time repairTime{Seconds(5)};            //!< Mean time until it is repaired
};

} // namespace ns3

#endif // ROUTING_NETWORK_PARAMETERS_H
