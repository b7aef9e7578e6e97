// SPDX-License-Identifier: GPL-2.0-only

// Carts drive past edge nodes, and agents on edge nodes balance their poles; see card.md.

#include "edge-deployment.h"
#include "edge-parameters.h"

#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <limits>

using namespace ns3;

namespace
{

/**
 * Declare the parameters of carts, agents and access links, which are those of cart_pole.
 *
 * @param simulation Where.
 * @param carts They hold the defaults, and are set later.
 */
void
DeclareCarts(RlSimulation& simulation, CartPoleParameters& carts)
{
    simulation.AddValue("carts", "Number of cart-poles, in a convoy.", carts.carts, 1U, 100U);
    simulation.AddChoice("transport",
                         "What carries observations and actions.",
                         carts.transport,
                         {"udp", "tcp"});
    simulation.AddValue("delay",
                        "One-way delay between a cart and the edge node where it is attached.",
                        carts.delay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("action_delay",
                        "Time that an agent takes to decide.",
                        carts.actionDelay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("data_rate",
                        "Data rate of the link between a cart and an edge node.",
                        carts.dataRate,
                        DataRate("1kbps"),
                        DataRate("100Gbps"));
    simulation.AddValue("loss",
                        "Probability that a packet is lost on that link.",
                        carts.loss,
                        0.0,
                        1.0);
    simulation.AddValue("initial_state",
                        "x,x_dot,theta,theta_dot of every cart, or cart:x,...;cart:x,...; "
                        "empty: random.",
                        carts.initialState);
    simulation.AddValue("terminate_when_fallen",
                        "Whether a cart that leaves its limits is out; if not, it goes on.",
                        carts.terminateWhenFallen);
}

/**
 * Declare the parameters of the road, the backbone and moves.
 *
 * @param simulation Where.
 * @param parameters They hold the defaults, and are set later.
 */
void
DeclareEdges(RlSimulation& simulation, EdgeParameters& parameters)
{
    simulation.AddValue("edges",
                        "Number of edge nodes along the road, in a chain.",
                        parameters.edges,
                        1U,
                        50U);
    simulation.AddValue("handover_interval",
                        "Time that carts take from one edge node to the next.",
                        parameters.handoverInterval,
                        MilliSeconds(1),
                        Hours(24));
    simulation.AddValue("hop_delay",
                        "One-way delay between neighbouring edge nodes.",
                        parameters.hopDelay,
                        Time(0),
                        Seconds(10));
    simulation.AddValue("backbone_rate",
                        "Data rate between neighbouring edge nodes.",
                        parameters.backboneRate,
                        DataRate("1kbps"),
                        DataRate("100Gbps"));
    simulation.AddChoice("migration",
                         "When agents move: never, with their cart, at given times, or when "
                         "their action says so.",
                         parameters.migration,
                         {"fixed", "follow", "schedule", "action"});
    simulation.AddValue("schedule",
                        "Moves of all agents, time:edge;time:edge;..., for migration=schedule.",
                        parameters.schedule);
    simulation.AddValue("state_bytes",
                        "Size of what is sent from the old edge node to the new one, by TCP, "
                        "before an agent moves; 0: it moves at once.",
                        parameters.stateBytes,
                        0U,
                        std::numeric_limits<uint32_t>::max());
    simulation.AddChoice("state_transfer",
                         "What an agent does while its state is on the way: work on at the old "
                         "edge node, or pause.",
                         parameters.stateTransfer,
                         {"live", "stop-and-copy"});
}

} // namespace

int
main(int argc, char* argv[])
{
    EdgeParameters parameters;
    Time duration = Seconds(10);
    RlSimulation simulation("edge_cart_pole");
    DeclareCarts(simulation, parameters.carts);
    DeclareEdges(simulation, parameters);
    simulation.AddValue("duration",
                        "Simulated time of an episode; a step takes 20 ms.",
                        duration,
                        MilliSeconds(20),
                        Hours(24));
    simulation.AddWarmUp([] {
        EdgeParameters example;
        example.edges = 2;
        EdgeNetwork(example, NodeContainer(1), NodeContainer(example.edges));
    });
    simulation.Parse(argc, argv);

    const auto contradiction = parameters.FindContradiction();
    if (!contradiction.empty())
    {
        simulation.Refuse(contradiction);
    }
    EdgeDeployment deployment(parameters);
    return simulation.Run(duration);
}
