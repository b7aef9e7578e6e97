// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTING_AGENT_PARAMETERS_H
#define ROUTING_AGENT_PARAMETERS_H

#include "topology.h"

#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("decisions",
                             "Decisions of agents: a port for each packet, or the split of packets "
                             "once in an epoch.",
                             decisions,
                             {"packet", "epoch"});
        simulation.AddValue("interval",
                            "Length of an epoch.",
                            interval,
                            MilliSeconds(1),
                            Seconds(100));
        simulation.AddValue("controlled",
                            "Names of the routers with an agent, separated by commas; empty: all. "
                            "The others use ns-3's global routing.",
                            controlled);
        simulation.AddChoice("observation",
                             "Whether agents observe only their own queues, or also the distances "
                             "over each link, as in link-state protocols.",
                             observation,
                             {"local", "link-state"});
        simulation.AddValue("message_interval",
                            "Time between two messages to neighbours about queues; 0: no messages, "
                            "and no observation of neighbours' queues.",
                            messageInterval,
                            Time(0),
                            Seconds(100));
        simulation.AddChoice("reward",
                             "Reward of a forwarded packet: minus its delay to the next router, or "
                             "minus its additional delay over the shortest path without queues.",
                             reward,
                             {"hop", "excess"});
        simulation.AddValue("loss_price", "Price of a lost packet, s.", lossPrice, 0.0, 1e6);
        simulation.AddChoice(
            "infos",
            "Whether infos also have the position and the neighbours of the router, for pictures.",
            infos,
            {"all", "brief"});
    }

    /**
     * @param topology The routers.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const
    {
        std::string fault;
        FindControlled(topology, fault);
        if (fault.empty() && HasMessages() && messageInterval < MilliSeconds(1))
        {
            return "message_interval must be 0, or at least 1ms";
        }
        return fault;
    }

    /**
     * @param topology The routers.
     * @param fault Set to the fault; empty: no fault.
     * @return the numbers of the routers that have an agent, in the order of agents
     */
    std::vector<uint32_t> FindControlled(const Topology& topology, std::string& fault) const
    {
        std::vector<uint32_t> numbers;
        if (controlled.empty())
        {
            numbers.resize(topology.GetRouters().size());
            std::iota(numbers.begin(), numbers.end(), 0);
            return numbers;
        }
        std::istringstream names(controlled);
        for (std::string name; std::getline(names, name, ',');)
        {
            const auto number = topology.FindRouter(name);
            if (!number || std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
            {
                fault = "controlled=" + controlled + " names \"" + name +
                        "\", which is not a router " +
                        (number ? "that was not named before" : "of the topology");
                return {};
            }
            numbers.push_back(*number);
        }
        return numbers;
    }

    /**
     * @return whether agents decide for each packet
     */
    bool IsPerPacket() const
    {
        return decisions == "packet";
    }

    /**
     * @return whether neighbours exchange messages about their queues
     */
    bool HasMessages() const
    {
        return messageInterval.IsStrictlyPositive();
    }

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
