// SPDX-License-Identifier: GPL-2.0-only

#include "network-parameters.h"

#include "capacity-trace.h"

#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double LEAST_STEP = 0.001;  //!< Smallest capacity of a step in Mb/s
constexpr double MOST_STEP = 100'000; //!< Largest capacity of a step in Mb/s

} // namespace

void
NetworkParameters::Declare(RlSimulation& simulation)
{
    simulation.AddChoice("topology",
                         "Links that senders share: one bottleneck, or several in a row; the first "
                         "flow crosses all of them, each other flow crosses one.",
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
    simulation.AddValue("capacity_steps",
                        "Changes of bottlenecks' capacity, seconds:Mb/s,seconds:Mb/s,...; empty: "
                        "none.",
                        steps);
    simulation.AddValue("capacity_trace",
                        "Path of a file in Mahimahi's format with delivery times of bottlenecks; "
                        "empty: bottleneck_rate.",
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

std::string
NetworkParameters::FindContradiction() const
{
    if (queueAgent && discipline != "fifo")
    {
        return "queue_agent=true replaces the queue discipline, so queue_discipline=" + discipline +
               " does not apply; leave it out";
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
               " is not seconds:Mb/s,seconds:Mb/s,... with rising times below 1e6 s and 0.001 to "
               "100000 Mb/s";
    }
    if (!trace.empty())
    {
        std::string fault;
        CapacityTrace::Read(trace, fault);
        return fault.empty() ? "" : "capacity_trace=" + trace + " " + fault;
    }
    return "";
}

uint32_t
NetworkParameters::GetHops() const
{
    return topology == "dumbbell" ? 1 : hops;
}

Time
NetworkParameters::GetPropagationTime(uint32_t crossed) const
{
    return 2 * (2 * leafDelay + int64x64_t(crossed) * delay);
}

std::optional<std::vector<CapacityStep>>
NetworkParameters::ReadSteps() const
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
        if (!complete || !(seconds >= 0 && seconds < 1e6) || mbps < LEAST_STEP || mbps > MOST_STEP)
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

double
NetworkParameters::GetMeanRate(Time duration) const
{
    if (!trace.empty())
    {
        std::string fault;
        return CapacityTrace::Read(trace, fault).GetMeanRate();
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

uint32_t
NetworkParameters::GetBuffer(Time duration, uint32_t packetSize) const
{
    if (buffer > 0)
    {
        return buffer;
    }
    const auto time = GetPropagationTime(GetHops()).GetSeconds();
    const auto product = GetMeanRate(duration) * time / (8 * packetSize);
    return static_cast<uint32_t>(std::clamp(product, 10.0, 1e6));
}

} // namespace ns3
