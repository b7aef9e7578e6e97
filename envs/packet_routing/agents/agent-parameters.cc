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
    simulation.AddChoice("decisions",
                         "When agents decide: for each packet, or once in an epoch, how packets "
                         "are split.",
                         decisions,
                         {"packet", "epoch"});
    simulation.AddValue("interval", "Length of an epoch.", interval, MilliSeconds(1), Seconds(100));
    simulation.AddValue("controlled",
                        "Names of the routers that have an agent, with commas between them; empty: "
                        "all. The others follow ns-3's global routing.",
                        controlled);
    simulation.AddChoice("observation",
                         "Whether agents see their own queues, or also how far it is over each "
                         "link, as link-state protocols tell.",
                         observation,
                         {"local", "link-state"});
    simulation.AddValue("message_interval",
                        "Time between two messages in which agents tell their neighbours of their "
                        "queues; 0: they do not, and nothing is seen of neighbours' queues.",
                        messageInterval,
                        Time(0),
                        Seconds(100));
    simulation.AddChoice(
        "reward",
        "Reward of a packet that is sent on: minus its delay to the next router, "
        "or minus the delay by which its way becomes longer than the shortest one without queues.",
        reward,
        {"hop", "excess"});
    simulation.AddValue("loss_price", "Price of a lost packet, s.", lossPrice, 0.0, 1e6);
    simulation.AddChoice("infos",
                         "Whether infos say where the router is and who its neighbours are, too, "
                         "as pictures need it.",
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
        return "message_interval is 0, or at least 1ms";
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
            fault = "controlled=" + controlled + " names \"" + name + "\", which is no router " +
                    (number ? "that is not named before" : "of the topology");
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
