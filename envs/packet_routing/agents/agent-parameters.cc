// SPDX-License-Identifier: GPL-2.0-only

#include "agent-parameters.h"

#include "ns3/rl-simulation.h"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace ns3
{

void
RoutingAgentParameters::Declare(RlSimulation& simulation)
{
    simulation.AddChoice(
        "decisions",
        "Decisions of agents: a port for each packet, or the split of packets once in an epoch.",
        decisions,
        {"packet", "epoch"});
    simulation.AddValue("interval", "Length of an epoch.", interval, MilliSeconds(1), Seconds(100));
    simulation.AddValue("controlled",
                        "Names of the routers with an agent, separated by commas; empty: all. The "
                        "others use ns-3's global routing.",
                        controlled);
    simulation.AddChoice("observation",
                         "Whether agents observe only their own queues, or also the distances over "
                         "each link, as in link-state protocols.",
                         observation,
                         {"local", "link-state"});
    simulation.AddValue("message_interval",
                        "Time between two messages to neighbours about queues; 0: no messages, and "
                        "no observation of neighbours' queues.",
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

std::string
RoutingAgentParameters::FindContradiction(const Topology& topology) const
{
    std::string fault;
    FindControlled(topology, fault);
    if (fault.empty() && HasMessages() && messageInterval < MilliSeconds(1))
    {
        return "message_interval must be 0, or at least 1ms";
    }
    return fault;
}

std::vector<uint32_t>
RoutingAgentParameters::FindControlled(const Topology& topology, std::string& fault) const
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
            fault = "controlled=" + controlled + " names \"" + name + "\", which is not a router " +
                    (number ? "that was not named before" : "of the topology");
            return {};
        }
        numbers.push_back(*number);
    }
    return numbers;
}

bool
RoutingAgentParameters::IsPerPacket() const
{
    return decisions == "packet";
}

bool
RoutingAgentParameters::HasMessages() const
{
    return messageInterval.IsStrictlyPositive();
}

} // namespace ns3
