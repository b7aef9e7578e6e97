// SPDX-License-Identifier: GPL-2.0-only

#include "capacity-steps.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double LEAST = 0.001;  // in Mb/s
constexpr double MOST = 100'000; // in Mb/s

} // namespace

std::optional<CapacitySteps>
CapacitySteps::Parse(const std::string& text)
{
    CapacitySteps steps;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');)
    {
        std::istringstream stream(part);
        double seconds = -1;
        double rate = 0;
        char colon = 0;
        stream >> seconds >> colon >> rate;
        const bool complete = !stream.fail() && stream.peek() == EOF && colon == ':';
        const auto time = Seconds(complete && seconds >= 0 && seconds < 1e6 ? seconds : 0);
        const bool later = steps.m_steps.empty() || time > steps.m_steps.back().time;
        if (!complete || seconds < 0 || seconds >= 1e6 || !later || rate < LEAST || rate > MOST)
        {
            return std::nullopt;
        }
        steps.m_steps.push_back({time, DataRate(static_cast<uint64_t>(rate * 1e6))});
    }
    return steps;
}

const std::vector<CapacitySteps::Step>&
CapacitySteps::Get() const
{
    return m_steps;
}

double
CapacitySteps::GetMeanRate(DataRate first, Time duration) const
{
    double bits = 0;
    Time since;
    auto rate = first;
    for (const auto& step : m_steps)
    {
        const auto until = std::min(step.time, duration);
        bits += rate.GetBitRate() * (until - since).GetSeconds();
        since = until;
        rate = step.rate;
    }
    bits += rate.GetBitRate() * (duration - since).GetSeconds();
    return bits / duration.GetSeconds();
}

} // namespace ns3
