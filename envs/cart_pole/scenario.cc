// SPDX-License-Identifier: GPL-2.0-only

// Cart-poles balanced by agents elsewhere in the network; see card.md.

#include "cart-pole-deployment.h"
#include "initial-state.h"

#include "ns3/rl-simulation.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    CartPoleParameters parameters;
    Time duration = Seconds(10);

    RlSimulation simulation("cart_pole");
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
    simulation.AddValue("delay",
                        "One-way delay between cart and agent.",
                        parameters.delay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("action_delay",
                        "Time that an agent takes to decide.",
                        parameters.actionDelay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("data_rate",
                        "Data rate of the access link, for udp and tcp.",
                        parameters.dataRate,
                        DataRate("1kbps"),
                        DataRate("100Gbps"));
    simulation.AddValue("loss",
                        "Probability that a packet is lost on the access link.",
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
    simulation.Parse(argc, argv);

    if (parameters.placement == "local" && (!parameters.delay.IsZero() || parameters.loss > 0))
    {
        simulation.Refuse("placement=local has no access link, so delay and loss do not apply");
    }
    if (!InitialStates::Parse(parameters.initialState))
    {
        simulation.Refuse("initial_state=" + parameters.initialState +
                          " is not x,x_dot,theta,theta_dot or cart:x,...;cart:x,...");
    }
    CartPoleDeployment deployment(parameters);
    return simulation.Run(duration);
}
