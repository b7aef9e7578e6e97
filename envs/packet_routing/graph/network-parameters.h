// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTING_NETWORK_PARAMETERS_H
#define ROUTING_NETWORK_PARAMETERS_H

#include "topology.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"

#include <cstdint>
#include <string>

namespace ns3
{

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddValue(
            "topology",
            "Routers and links: abilene, geant, irregular-grid, grid:<rows>x<columns>, or a text "
            "of nodes and links; in Python a GML, GraphML or JSON file, too.",
            topology);
        simulation.AddValue("link_rate",
                            "Data rate of links for which the topology has none.",
                            linkRate,
                            DataRate("1kbps"),
                            DataRate("100Gbps"));
        simulation.AddValue("link_delay",
                            "One-way delay of links for which the topology has none.",
                            linkDelay,
                            Time(0),
                            Seconds(10));
        simulation.AddValue("buffer",
                            "Packets in the queue of an interface.",
                            buffer,
                            1U,
                            1'000'000U);
        simulation.AddChoice("metric",
                             "Metric of ns-3's global routing: a link counts 1, or counts its "
                             "delay plus the transmission time of a mean-size packet, in 10 us.",
                             metric,
                             {"hops", "delay"});
        simulation.AddChoice(
            "routing",
            "Chooser of the interface: the agent, or ns-3's global routing. With global routing, "
            "agents observe and are rewarded, but their actions have no effect.",
            routing,
            {"agent", "global"});
        simulation.AddValue("hop_limit",
                            "Maximum number of links that a packet crosses before it is lost.",
                            hopLimit,
                            1U,
                            255U);
        simulation.AddValue("failure_interval",
                            "Mean time until a working link fails; 0: never.",
                            failureInterval,
                            Time(0),
                            Hours(24));
        simulation.AddValue("repair_time",
                            "Mean time until a failed link works again.",
                            repairTime,
                            MilliSeconds(1),
                            Hours(24));
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        std::string fault;
        const auto read = Topology::Find(topology, fault);
        if (!fault.empty())
        {
            return fault;
        }
        if (read.GetMaxDegree() > 255)
        {
            return "topology has a router with more than 255 links";
        }
        if (HasFailures() && failureInterval < MilliSeconds(1))
        {
            return "failure_interval must be 0, or at least 1ms";
        }
        return "";
    }

    /**
     * @return whether links fail in the episode
     */
    bool HasFailures() const
    {
        return failureInterval.IsStrictlyPositive();
    }

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
