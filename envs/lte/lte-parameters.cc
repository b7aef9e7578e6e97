// SPDX-License-Identifier: GPL-2.0-only

#include "lte-parameters.h"

#include "ns3/rl-simulation.h"

namespace ns3
{

void
LteParameters::Declare(RlSimulation& simulation)
{
    simulation.AddValue("spacing",
                        "Distance between neighbouring cells, in m.",
                        spacing,
                        50.,
                        10000.);
    simulation.AddValue("resource_blocks",
                        "Bandwidth of each cell, in resource blocks of 180 kHz: 6, 15, 25, 50, 75 "
                        "or 100.",
                        resourceBlocks,
                        6U,
                        100U);
    simulation.AddValue("path_loss_exponent",
                        "Path loss exponent beyond the free space of the first metre; 2: free "
                        "space (Friis).",
                        pathLossExponent,
                        2.,
                        6.);
    simulation.AddValue("shadowing",
                        "Standard deviation of the shadowing of cells in dB; 0: none.",
                        shadowing,
                        0.,
                        20.);
    simulation.AddValue("noise_figure",
                        "Noise figure of users' receivers in dB.",
                        noiseFigure,
                        0.,
                        30.);
    simulation.AddValue("demand",
                        "Traffic to each user.",
                        demand,
                        DataRate("8kbps"),
                        DataRate("50Mbps"));
    simulation.AddValue("speed", "Speed of moving users in m/s.", speed, 0., 200.);
}

} // namespace ns3
