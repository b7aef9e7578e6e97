// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_PARAMETERS_H
#define NETWORK_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RlSimulation;

/**
 * @brief The properties of the network of tcp_congestion.
 */
struct NetworkParameters
{
    /**
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return what is wrong with the values together, and what would be right; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return the number of bottlenecks, one behind the other
     */
    uint32_t GetHops() const;

    /**
     * @param hops Number of bottlenecks that are crossed.
     * @return the time that the links alone take there and back
     */
    Time GetPropagationTime(uint32_t hops) const;

    /**
     * @param duration Duration of the episode.
     * @return mean capacity of a bottleneck in bit/s
     */
    double GetMeanRate(Time duration) const;

    /**
     * @param duration Duration of the episode.
     * @param packetSize Size of IP packets in bytes.
     * @return packets that the queue at a bottleneck holds
     */
    uint32_t GetBuffer(Time duration, uint32_t packetSize) const;

    std::string topology{"dumbbell"}; //!< dumbbell, parking-lot
    uint32_t hops{2};                 //!< Bottlenecks of a parking lot
    DataRate rate{"10Mbps"};          //!< Of a bottleneck
    Time delay{MilliSeconds(10)};     //!< Of a bottleneck, one way
    double loss{0};                   //!< Probability at a bottleneck
    std::string steps;                //!< Of the capacity
    std::string trace;                //!< Path of a capacity trace
    DataRate leafRate{"100Mbps"};     //!< Of the links of senders and receivers
    Time leafDelay{MilliSeconds(5)};  //!< Of the links of senders and receivers, one way
    Time leafJitter{MilliSeconds(1)}; //!< Longest random delay of a packet at its sender
    std::string discipline{"fifo"};   //!< At bottlenecks
    uint32_t buffer{0};               //!< In packets; 0: a bandwidth-delay product
    uint32_t deviceQueue{1};          //!< Packets that the device itself holds
    bool ecn{false};                  //!< Mark rather than drop
    bool queueAgent{false};           //!< An agent is the discipline
};

} // namespace ns3

#endif // NETWORK_PARAMETERS_H
