// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_PARAMETERS_H
#define TRAFFIC_PARAMETERS_H

#include "topology.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief Which packets enter the network of packet_routing, and when.
 */
struct TrafficParameters
{
    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param topology Where packets enter.
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const;

    /**
     * @param time A time of the episode.
     * @param x Where a router is drawn; its longitude on a map.
     * @return the rate at which packets enter there, as a multiple of the mean
     */
    double GetFactor(Time time, double x) const;

    std::string pattern{"poisson"};   //!< poisson, on-off
    double rate{300};                 //!< Packets a second that enter anywhere
    uint32_t packetSize{1000};        //!< Mean size at a link, in bytes
    std::string sizes{"exponential"}; //!< exponential, constant
    bool resize{false};               //!< Sizes are drawn anew at each router
    std::string matrix{"uniform"};    //!< uniform, gravity, demands, or a path
    uint32_t matrixSeed{1};           //!< Of gravity
    Time day{};                       //!< Period of the rate; 0: it is constant
    double dayAmplitude{0.5};         //!< Of the rate over the day
    Time onTime{MilliSeconds(500)};   //!< Mean time for which a router sends
    Time offTime{MilliSeconds(500)};  //!< Mean time for which it does not
    Time warmUp{};                    //!< Packets that enter before do not count
    bool records{false};              //!< Each arrival is reported at the end
};

} // namespace ns3

#endif // TRAFFIC_PARAMETERS_H
