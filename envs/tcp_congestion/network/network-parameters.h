// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_PARAMETERS_H
#define NETWORK_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief A change of the capacity of bottlenecks.
 */
struct CapacityStep
{
    Time time;     //!< Time from the start of the episode
    DataRate rate; //!< New capacity
};

/**
 * @brief The properties of the network of tcp_congestion.
 */
struct NetworkParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const;

    /**
     * @return the number of bottlenecks in a row
     */
    uint32_t GetHops() const;

    /**
     * @param hops Number of crossed bottlenecks.
     * @return the round trip time without queues
     */
    Time GetPropagationTime(uint32_t hops) const;

    /**
     * Read the steps of the capacity. They are no CapacityTrace: a step changes the time that a
     * packet takes, but the opportunities of a trace deliver 1500 bytes at once, at whole ms.
     *
     * @return the steps in order; nothing if their text is malformed
     */
    std::optional<std::vector<CapacityStep>> ReadSteps() const;

    /**
     * @param duration Duration of the episode.
     * @return mean capacity of a bottleneck in bit/s
     */
    double GetMeanRate(Time duration) const;

    /**
     * @param duration Duration of the episode.
     * @param packetSize Size of IP packets in bytes.
     * @return packets in the queue of a bottleneck
     */
    uint32_t GetBuffer(Time duration, uint32_t packetSize) const;

    std::string topology{"dumbbell"}; //!< Topology: dumbbell, parking-lot
    uint32_t hops{2};                 //!< Bottlenecks of a parking lot
    DataRate rate{"10Mbps"};          //!< Data rate of a bottleneck
    Time delay{MilliSeconds(10)};     //!< One-way delay of a bottleneck
    double loss{0};                   //!< Probability at a bottleneck
    std::string steps;                //!< Steps of the capacity, `seconds:Mb/s,...`
    std::string trace;                //!< Path of a capacity trace
    DataRate leafRate{"100Mbps"};     //!< Rate of senders' and receivers' links
    Time leafDelay{MilliSeconds(5)};  //!< One-way delay of senders' and receivers' links
    Time leafJitter{MilliSeconds(1)}; //!< Maximum random delay of a packet at its sender
    std::string discipline{"fifo"};   //!< Queue discipline of bottlenecks
    uint32_t buffer{0};               //!< Packets; 0: a bandwidth-delay product
    uint32_t deviceQueue{1};          //!< Packets in the device itself
    bool ecn{false};                  //!< Whether to mark instead of drop
    bool queueAgent{false};           //!< An agent replaces the discipline
};

} // namespace ns3

#endif // NETWORK_PARAMETERS_H
