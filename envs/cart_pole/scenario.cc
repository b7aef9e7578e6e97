// SPDX-License-Identifier: GPL-2.0-only

// Cart-poles balanced by agents elsewhere in the network; see card.md.

#include "scenario.h"

#include "cart-pole-deployment.h"

#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/**
 * Declare the parameters of the scenario.
 *
 * @param simulation Where.
 * @param parameters They hold the defaults, and are set later.
 * @param duration So does it.
 */
void
Declare(RlSimulation& simulation, CartPoleParameters& parameters, Time& duration)
{
    simulation.AddValue("carts", "Number of cart-poles.", parameters.carts, 1U, 1000U);
    simulation.AddChoice("placement",
                         "Where agents sit: on the cart's node, each on a node of its own behind "
                         "an access link, or one for all carts.",
                         parameters.placement,
                         {"local", "remote", "central"});
    simulation.AddChoice("transport",
                         "What carries observations and actions: nothing simulated, or sockets.",
                         parameters.transport,
                         {"simple", "udp", "tcp"});
    simulation.AddChoice("access",
                         "Access link that carries the packets: a point-to-point link for each "
                         "cart, one CSMA bus, Wi-Fi, or LTE.",
                         parameters.access,
                         {"point-to-point", "csma", "wifi", "lte"});
    simulation.AddValue("delay",
                        "One-way delay: of the link of a cart, or along the bus, or between agent "
                        "and access point or core network.",
                        parameters.delay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("action_delay",
                        "Time that an agent takes to decide.",
                        parameters.actionDelay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("data_rate",
                        "Data rate of the link that has the delay, for udp and tcp.",
                        parameters.dataRate,
                        DataRate("1kbps"),
                        DataRate("100Gbps"));
    simulation.AddValue("distance",
                        "Distance from a cart to the access point or base station in m.",
                        parameters.distance,
                        1.0,
                        10000.0);
    simulation.AddValue("loss",
                        "Probability that a packet is lost on the link that has the delay.",
                        parameters.loss,
                        0.0,
                        1.0);
    simulation.AddValue("duration",
                        "Simulated time of an episode; a step takes 20 ms.",
                        duration,
                        MilliSeconds(20),
                        Hours(24));
    simulation.AddValue("initial_state",
                        "x,x_dot,theta,theta_dot of every cart, or cart:x,...;cart:x,...; "
                        "empty: random.",
                        parameters.initialState);
    simulation.AddValue("terminate_when_fallen",
                        "Whether a cart that leaves its limits is out; if not, it goes on.",
                        parameters.terminateWhenFallen);
    simulation.AddValue("restart_when_fallen",
                        "Whether a cart that leaves its limits is put upright, and goes on.",
                        parameters.restartWhenFallen);
    parameters.inference.Declare(simulation);
    parameters.trainingServer.Declare(simulation);
}

/**
 * Build an access network for two carts and their agents.
 *
 * @param factory Builds access networks.
 */
void
BuildExample(const AccessFactory& factory)
{
    CartPoleParameters parameters;
    parameters.carts = 2;
    factory(parameters, NodeContainer(parameters.carts), NodeContainer(parameters.carts));
}

} // namespace

int
RunCartPole(int argc, char* argv[], const std::map<std::string, AccessFactory>& factories)
{
    CartPoleParameters parameters;
    Time duration = Seconds(10);
    RlSimulation simulation("cart_pole");
    Declare(simulation, parameters, duration);
    for (const auto& [access, factory] : factories)
    {
        simulation.AddWarmUp([&factory] { BuildExample(factory); });
    }
    simulation.Parse(argc, argv);

    const auto contradiction = parameters.FindContradiction();
    if (!contradiction.empty())
    {
        simulation.Refuse(contradiction);
    }
    const auto factory = factories.find(parameters.access);
    if (factory == factories.end())
    {
        simulation.Refuse("this program is not linked with what access=" + parameters.access +
                          " needs; another one of this scenario is");
    }
    CartPoleDeployment deployment(parameters, factory->second);
    return simulation.Run(Simulator::Now() + duration);
}

} // namespace ns3
