// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_PARAMETERS_H
#define TRAFFIC_PARAMETERS_H

#include "topology.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The packets that enter the network of packet_routing, and their times.
 */
struct TrafficParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @param topology The routers.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const;

    /**
     * @param time A time of the episode.
     * @param x Horizontal position of a router; longitude on a map.
     * @return the rate of packets there, as a multiple of the mean
     */
    double GetFactor(Time time, double x) const;

    /**
     * Draw the size of a packet.
     *
     * @param variable Uniform variable from 0 to 1.
     * @return the payload of the packet in bytes
     */
    uint32_t DrawPayload(Ptr<UniformRandomVariable> variable) const;

    std::string pattern{"poisson"};   //!< Pattern: poisson, on-off
    double rate{300};                 //!< Packets per second in the whole network
    uint32_t packetSize{1000};        //!< Mean size at a link, in bytes
    std::string sizes{"exponential"}; //!< Distribution: exponential, constant
    bool resize{false};               //!< Whether each router draws new sizes
    std::string matrix{"uniform"};    //!< Matrix: uniform, gravity, demands, or a path
    uint32_t matrixSeed{1};           //!< Seed of the gravity matrix
    Time day{};                       //!< Period of the rate; 0: constant
    double dayAmplitude{0.5};         //!< Amplitude of the rate over the day
    Time onTime{MilliSeconds(500)};   //!< Mean time for which a router sends
    Time offTime{MilliSeconds(500)};  //!< Mean off time
    Time warmUp{};                    //!< Earlier packets do not count
    bool records{false};              //!< Each arrival is reported at the end
};

} // namespace ns3

#endif // TRAFFIC_PARAMETERS_H
