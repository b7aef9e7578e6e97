// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_PARAMETERS_H
#define LTE_PARAMETERS_H

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
struct LteParameters
{
    static constexpr double FREQUENCY = 2.12e9;      //!< Downlink carrier in Hz, EARFCN 100
    static constexpr double BLOCK_BANDWIDTH = 180e3; //!< Of a resource block in Hz
    static constexpr double LEAST_DISTANCE = 10;     //!< From a cell to a placed user, in m
    static constexpr double SHADOWING_DISTANCE = 50; //!< In which shadowing changes, in m

    /**
     * Declare all but the numbers of cells and users.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    double spacing{200};           //!< Between neighbouring cells, in m
    uint32_t resourceBlocks{25};   //!< Bandwidth of a cell: 6, 15, 25, 50, 75 or 100
    double pathLossExponent{3.5};  //!< 2: free space (Friis)
    double shadowing{0};           //!< Standard deviation in dB
    double noiseFigure{9};         //!< Of users' receivers, in dB
    double power{30};              //!< Of cells at the start, in dBm
    DataRate demand{"500kbps"};    //!< Traffic to each user
    std::string movement{"still"}; //!< still, walk, away
    double speed{10};              //!< Of moving users, in m/s
    double userDistance{0};        //!< From a user to its cell at the start, in m; 0: random
    bool handover{false};          //!< Users may lose their cell, or be handed over
    std::string algorithm{"ns3::NoOpHandoverAlgorithm"}; //!< Type of what hands over by itself
};

} // namespace ns3

#endif // LTE_PARAMETERS_H
