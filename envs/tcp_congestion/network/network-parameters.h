// SPDX-License-Identifier: GPL-2.0-only

#ifndef NETWORK_PARAMETERS_H
#define NETWORK_PARAMETERS_H

#include "capacity-trace.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

constexpr double LEAST_STEP = 0.001;  //!< Smallest capacity of a step in Mb/s
constexpr double MOST_STEP = 100'000; //!< Largest capacity of a step in Mb/s

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("topology",
                             "Links that senders share: one bottleneck, or several in a row; the "
                             "first flow crosses all of them, each other flow crosses one.",
                             topology,
                             {"dumbbell", "parking-lot"});
        simulation.AddValue("hops", "Bottlenecks of a parking lot.", hops, 2U, 8U);
        simulation.AddValue("bottleneck_rate",
                            "Capacity of a bottleneck.",
                            rate,
                            DataRate("100kbps"),
                            DataRate("10Gbps"));
        simulation.AddValue("bottleneck_delay",
                            "One-way delay of a bottleneck.",
                            delay,
                            Time(0),
                            Seconds(1));
        simulation.AddValue("bottleneck_loss",
                            "Probability that a bottleneck loses a packet.",
                            loss,
                            0.0,
                            0.5);
        simulation.AddValue(
            "capacity_steps",
            "Changes of bottlenecks' capacity, seconds:Mb/s,seconds:Mb/s,...; empty: none.",
            steps);
        simulation.AddValue("capacity_trace",
                            "Path of a file with the capacity of bottlenecks, in Mahimahi's format "
                            "or as s and Mb/s; empty: bottleneck_rate.",
                            trace);
        simulation.AddValue("leaf_rate",
                            "Rate of each link between sender or receiver and its router.",
                            leafRate,
                            DataRate("100kbps"),
                            DataRate("10Gbps"));
        simulation.AddValue("leaf_delay",
                            "One-way delay of each link between sender or receiver and its router.",
                            leafDelay,
                            Time(0),
                            Seconds(1));
        simulation.AddValue(
            "leaf_jitter",
            "Maximum random delay of a packet at its sender, in addition to leaf_delay.",
            leafJitter,
            Time(0),
            MilliSeconds(100));
        simulation.AddChoice("queue_discipline",
                             "ns-3 queue discipline at bottlenecks.",
                             discipline,
                             {"fifo", "red", "codel", "fq_codel", "pie", "cobalt"});
        simulation.AddValue("buffer",
                            "Packets in the queue of a bottleneck; 0: one bandwidth-delay product.",
                            buffer,
                            0U,
                            1'000'000U);
        simulation.AddValue("device_queue",
                            "Packets in the network device, in addition to that queue.",
                            deviceQueue,
                            1U,
                            10'000U);
        simulation.AddValue("ecn",
                            "Whether queues mark packets instead of dropping them (fifo cannot).",
                            ecn);
        simulation.AddValue("queue_agent",
                            "Whether an agent at each bottleneck sets the probability of a drop or "
                            "mark, instead of an ns-3 queue discipline.",
                            queueAgent);
    }

    /**
     * @return a contradiction between values, with its remedy; or an empty string
     */
    std::string FindContradiction() const
    {
        if (queueAgent && discipline != "fifo")
        {
            return "queue_agent=true replaces the queue discipline, so queue_discipline=" +
                   discipline + " does not apply; leave it out";
        }
        if (ecn && discipline == "fifo" && !queueAgent)
        {
            return "queue_discipline=fifo marks nothing, so ecn=true needs another discipline, or "
                   "queue_agent=true";
        }
        if (!steps.empty() && !trace.empty())
        {
            return "capacity_steps and capacity_trace both define the capacity; give one of them";
        }
        if (!ReadSteps())
        {
            return "capacity_steps=" + steps +
                   " is not seconds:Mb/s,seconds:Mb/s,... with rising times below 1e6 s and 0.001 "
                   "to 100000 Mb/s";
        }
        if (!trace.empty())
        {
            std::string fault;
            capacity = CapacityTrace::Read(trace, fault);
            return fault.empty() ? "" : "capacity_trace=" + trace + " " + fault;
        }
        return "";
    }

    /**
     * @return the number of bottlenecks in a row
     */
    uint32_t GetHops() const
    {
        return topology == "dumbbell" ? 1 : hops;
    }

    /**
     * @param hops Number of crossed bottlenecks.
     * @return the round trip time without queues
     */
    Time GetPropagationTime(uint32_t crossed) const
    {
        return 2 * (2 * leafDelay + int64x64_t(crossed) * delay);
    }

    /**
     * Read the steps of the capacity. They are no CapacityTrace: a step changes the time that a
     * packet takes, but the opportunities of a trace deliver 1500 bytes at once, at whole ms.
     *
     * @return the steps in order; nothing if their text is malformed
     */
    std::optional<std::vector<CapacityStep>> ReadSteps() const
    {
        std::vector<CapacityStep> read;
        std::istringstream parts(steps);
        for (std::string part; std::getline(parts, part, ',');)
        {
            std::istringstream stream(part);
            double seconds = -1;
            double mbps = 0;
            char colon = 0;
            stream >> seconds >> colon >> mbps;
            const bool complete = !stream.fail() && stream.peek() == EOF && colon == ':';
            if (!complete || !(seconds >= 0 && seconds < 1e6) || mbps < LEAST_STEP ||
                mbps > MOST_STEP)
            {
                return std::nullopt;
            }
            read.push_back({Seconds(seconds), DataRate(static_cast<uint64_t>(mbps * 1e6))});
            if (read.size() > 1 && read.back().time <= read[read.size() - 2].time)
            {
                return std::nullopt;
            }
        }
        return read;
    }

    /**
     * @param duration Duration of the episode.
     * @return mean capacity of a bottleneck in bit/s
     */
    double GetMeanRate(Time duration) const
    {
        if (!trace.empty())
        {
            return capacity.GetMeanRate();
        }
        double bits = 0;
        CapacityStep present{Time(), rate};
        for (const auto& step : *ReadSteps())
        {
            const auto until = std::min(step.time, duration);
            bits += present.rate.GetBitRate() * (until - present.time).GetSeconds();
            present = {until, step.rate};
        }
        bits += present.rate.GetBitRate() * (duration - present.time).GetSeconds();
        return bits / duration.GetSeconds();
    }

    /**
     * @param duration Duration of the episode.
     * @param packetSize Size of IP packets in bytes.
     * @return packets in the queue of a bottleneck
     */
    uint32_t GetBuffer(Time duration, uint32_t packetSize) const
    {
        if (buffer > 0)
        {
            return buffer;
        }
        const auto time = GetPropagationTime(GetHops()).GetSeconds();
        const auto product = GetMeanRate(duration) * time / (8 * packetSize);
        return static_cast<uint32_t>(std::clamp(product, 10.0, 1e6));
    }

    std::string topology{"dumbbell"}; //!< Topology: dumbbell, parking-lot
    uint32_t hops{2};                 //!< Bottlenecks of a parking lot
    DataRate rate{"10Mbps"};          //!< Data rate of a bottleneck
    Time delay{MilliSeconds(10)};     //!< One-way delay of a bottleneck
    double loss{0};                   //!< Probability at a bottleneck
    std::string steps;                //!< Steps of the capacity, `seconds:Mb/s,...`
    std::string trace;                //!< Path of a capacity trace
    mutable CapacityTrace capacity;   //!< That trace, as FindContradiction() has read it
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
