// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_PARAMETERS_H
#define TRAFFIC_PARAMETERS_H

#include "routed-packet.h"
#include "topology.h"
#include "traffic-matrix.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace ns3
{

constexpr uint32_t MOST_PAYLOAD = 60'000; //!< Bytes; exponential sizes practically never have

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("traffic",
                             "Process of packets at a router: Poisson, or with on and off times "
                             "from exponential distributions.",
                             pattern,
                             {"poisson", "on-off"});
        simulation.AddValue("packet_rate",
                            "Mean number of packets per second that enter the whole network.",
                            rate,
                            1e-3,
                            1e7);
        simulation.AddValue(
            "packet_size",
            "Mean size of a packet at a link in bytes, including 30 bytes of headers.",
            packetSize,
            64U,
            5000U);
        simulation.AddChoice("packet_sizes",
                             "Distribution of packet sizes.",
                             sizes,
                             {"exponential", "constant"});
        simulation.AddValue("resize",
                            "Whether each router draws a new size for a packet (Kleinrock's "
                            "independence assumption).",
                            resize);
        simulation.AddValue(
            "matrix",
            "Pairs of sender and receiver: uniform (all pairs equal), gravity (routers have "
            "weights, drawn by matrix_seed), a text <name>><name>:<weight>,..., or the path of a "
            "file with a line of weights for each router.",
            matrix);
        simulation.AddValue("matrix_seed", "Of matrix=gravity.", matrixSeed, 0U, 1'000'000U);
        simulation.AddValue("day",
                            "Period of the rate of packets, in simulated time; 0: a constant rate.",
                            day,
                            Time(0),
                            Hours(24));
        simulation.AddValue("day_amplitude",
                            "Amplitude of the rate over the day, as a share of its mean.",
                            dayAmplitude,
                            0.0,
                            1.0);
        simulation.AddValue("on_time",
                            "Mean time for which a router sends, with traffic=on-off.",
                            onTime,
                            MilliSeconds(1),
                            Hours(1));
        simulation.AddValue("off_time",
                            "Mean time for which a router does not send, with traffic=on-off.",
                            offTime,
                            MilliSeconds(1),
                            Hours(1));
        simulation.AddValue("warm_up",
                            "Packets that enter before this time do not count in totals.",
                            warmUp,
                            Time(0),
                            Hours(24));
        simulation.AddValue("record_packets",
                            "Whether the last infos have a record of each arrival.",
                            records);
    }

    /**
     * @param topology The routers.
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction(const Topology& topology) const
    {
        if (day.IsStrictlyPositive() && day < MilliSeconds(1))
        {
            return "day must be 0, or at least 1ms";
        }
        if (sizes == "exponential" && packetSize < 200) // its sizes are at least those of headers
        {
            return "packet_sizes=exponential needs a packet_size of at least 200";
        }
        std::string fault;
        TrafficMatrix::Find(matrix, matrixSeed, topology, fault);
        return fault;
    }

    /**
     * @param time A time of the episode.
     * @param x Horizontal position of a router; longitude on a map.
     * @return the rate of packets there, as a multiple of the mean
     */
    double GetFactor(Time time, double x) const
    {
        if (day.IsZero())
        {
            return 1;
        }
        // Noon is earlier in the east.
        const auto turn = time.GetSeconds() / day.GetSeconds() + x / 360;
        return 1 + dayAmplitude * std::sin(2 * std::numbers::pi * turn);
    }

    /**
     * Draw the size of a packet.
     *
     * @param variable Uniform variable from 0 to 1.
     * @return the payload of the packet in bytes
     */
    uint32_t DrawPayload(Ptr<UniformRandomVariable> variable) const
    {
        double size = packetSize;
        if (sizes == "exponential")
        {
            size *= -std::log1p(-variable->GetValue());
        }
        const auto payload = std::round(size) - RoutedPacket::HEADERS;
        return static_cast<uint32_t>(std::clamp<double>(payload, 0, MOST_PAYLOAD));
    }

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
