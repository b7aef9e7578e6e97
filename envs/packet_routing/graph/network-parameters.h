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
     * @return whether links fail in the episode
     */
    bool HasFailures() const;

    std::string topology{"irregular-grid"}; //!< Name, grid:<rows>x<columns>, or text
    DataRate linkRate{"1Mbps"};             //!< Default data rate of links
    Time linkDelay{MilliSeconds(1)};        //!< Default one-way delay of links
    uint32_t buffer{100};                   //!< Packets in an interface's queue
    std::string metric{"hops"};             //!< Metric of shortest paths: hops, delay
    std::string routing{"agent"};           //!< The source of choices: agent, global
    uint32_t hopLimit{64};                  //!< Maximum number of hops
    Time failureInterval{};                 //!< Mean time until a link fails; 0: never
    Time repairTime{Seconds(5)};            //!< Mean time of a repair
};

} // namespace ns3

#endif // ROUTING_NETWORK_PARAMETERS_H
