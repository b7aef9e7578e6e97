// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_PARAMETERS_H
#define LTE_PARAMETERS_H

#include "lte-network.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

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
    void Declare(RlSimulation& simulation);

    double spacing{200};           //!< Distance between neighbouring cells, in m
    double shadowing{0};           //!< Standard deviation of shadowing, in dB
    DataRate demand{"500kbps"};    //!< Traffic to each user
    std::string movement{"still"}; //!< Movement: still, walk, away
    double speed{10};              //!< Speed of moving users, in m/s
    double userDistance{0};        //!< Initial distance to the cell, in m; 0: random
};

} // namespace ns3

#endif // LTE_PARAMETERS_H
