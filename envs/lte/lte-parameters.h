// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_PARAMETERS_H
#define LTE_PARAMETERS_H

#include "lte-network.h"

#include "ns3/data-rate.h"
#include "ns3/rl-simulation.h"

#include <string>

namespace ns3
{

/**
 * @brief Parameters of cells and their users.
 *
 * Values that are set before Declare() are the defaults.
 */
struct LteParameters : LteNetworkParameters
{
    static constexpr double LEAST_DISTANCE = 10;     //!< Least distance to a cell, in m
    static constexpr double SHADOWING_DISTANCE = 50; //!< Distance of its changes, in m

    /**
     * Declare all but the numbers of cells and users.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation)
    {
        simulation.AddValue("spacing",
                            "Distance between neighbouring cells, in m.",
                            spacing,
                            50.,
                            10000.);
        simulation.AddValue(
            "resource_blocks",
            "Bandwidth of each cell, in resource blocks of 180 kHz: 6, 15, 25, 50, 75 or 100.",
            resourceBlocks,
            6U,
            100U);
        simulation.AddValue(
            "path_loss_exponent",
            "Path loss exponent beyond the free space of the first metre; 2: free space (Friis).",
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

    double spacing{200};           //!< Distance between neighbouring cells, in m
    double shadowing{0};           //!< Standard deviation of shadowing, in dB
    DataRate demand{"500kbps"};    //!< Traffic to each user
    std::string movement{"still"}; //!< Movement: still, walk, away
    double speed{10};              //!< Speed of moving users, in m/s
    double userDistance{0};        //!< Initial distance to the cell, in m; 0: random
};

} // namespace ns3

#endif // LTE_PARAMETERS_H
