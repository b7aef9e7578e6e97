// SPDX-License-Identifier: GPL-2.0-only

// Real traffic, with many events between two decisions: the cost of Python in such a scenario.

#include "bottleneck.h"

#include "ns3/rl-simulation.h"

using namespace ns3;

int
main(int argc, char* argv[])
{
    BottleneckParameters parameters;
    Time duration = Seconds(10);
    RlSimulation simulation("traffic");
    simulation.AddValue("flows", "TCP connections.", parameters.flows, 1U, 100U);
    simulation.AddValue("data_rate",
                        "Data rate of the bottleneck.",
                        parameters.dataRate,
                        DataRate("1Mbps"),
                        DataRate("1Gbps"));
    simulation.AddValue("delay",
                        "One-way delay of the bottleneck.",
                        parameters.delay,
                        Time(0),
                        Seconds(1));
    simulation.AddValue("interval",
                        "Simulated time between two decisions.",
                        parameters.interval,
                        MilliSeconds(1),
                        Seconds(10));
    simulation.AddValue("duration",
                        "Simulated time of an episode.",
                        duration,
                        MilliSeconds(1),
                        Hours(24));
    simulation.Parse(argc, argv);
    Bottleneck bottleneck(parameters);
    return simulation.Run(duration);
}
