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
 * @brief Cells and their users, as parameters have them.
 *
 * Values that are set before Declare() are the defaults.
 */
struct LteParameters : LteNetworkParameters
{
    static constexpr double LEAST_DISTANCE = 10;     //!< From a cell to a placed user, in m
    static constexpr double SHADOWING_DISTANCE = 50; //!< In which shadowing changes, in m

    /**
     * Declare all but the numbers of cells and users.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    double spacing{200};           //!< Between neighbouring cells, in m
    double shadowing{0};           //!< Standard deviation in dB
    DataRate demand{"500kbps"};    //!< Traffic to each user
    std::string movement{"still"}; //!< still, walk, away
    double speed{10};              //!< Of moving users, in m/s
    double userDistance{0};        //!< From a user to its cell at the start, in m; 0: random
};

} // namespace ns3

#endif // LTE_PARAMETERS_H
