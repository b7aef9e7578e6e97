// SPDX-License-Identifier: GPL-2.0-only

#include "capacity-trace.h"

#include "ns3/regular-file.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/** The size limit of a trace in bytes: some hours at 1 Gb/s. */
constexpr std::size_t MOST_TRACE_BYTES = std::size_t{1} << 26;

/**
 * @param line A line of a trace.
 * @param time Set to the time in the line.
 * @return whether the line is a number
 */
bool
ReadTime(const std::string& line, uint32_t& time)
{
    const auto* end = line.data() + line.find_last_not_of(" \t\r") + 1;
    const auto [rest, error] = std::from_chars(line.data(), end, time);
    return error == std::errc() && rest == end;
}

} // namespace

CapacityTrace
CapacityTrace::Read(const std::string& path, std::string& fault)
{
    const auto read = ReadRegularFile(path, MOST_TRACE_BYTES);
    fault.clear();
    if (!read.fault.empty())
    {
        fault = "cannot be read: " + read.fault;
        return {};
    }
    std::istringstream file(read.content);
    std::vector<uint32_t> times;
    for (std::string line; std::getline(file, line);)
    {
        if (!ReadTime(line, times.emplace_back()))
        {
            fault = "has \"" + line + "\" in line " + std::to_string(times.size()) +
                    "; each line must be a whole number of milliseconds";
            return {};
        }
    }
    return Make(std::move(times), fault);
}

CapacityTrace
CapacityTrace::Make(std::vector<uint32_t> times, std::string& fault)
{
    fault.clear();
    const auto earlier = std::adjacent_find(times.begin(), times.end(), std::greater<>());
    if (earlier != times.end())
    {
        fault = "goes back from " + std::to_string(*earlier) + " to " + std::to_string(earlier[1]) +
                " ms in line " + std::to_string(earlier - times.begin() + 2);
    }
    else if (times.empty() || times.back() == 0)
    {
        fault = "must end above 0 ms, where it repeats";
    }
    CapacityTrace trace;
    trace.m_times = fault.empty() ? std::move(times) : std::vector<uint32_t>();
    return trace;
}

Time
CapacityTrace::GetTime(uint64_t number) const
{
    const auto cycle = number / m_times.size();
    return MilliSeconds(cycle * m_times.back() + m_times[number % m_times.size()]);
}

uint64_t
CapacityTrace::FindFirst(Time time) const
{
    const auto period = MilliSeconds(m_times.back());
    // An instant at the end of a cycle belongs to this cycle, too.
    const auto nanoseconds = time.GetNanoSeconds();
    const auto cycle = nanoseconds == 0 ? 0 : (nanoseconds - 1) / period.GetNanoSeconds();
    const auto within = time - NanoSeconds(cycle * period.GetNanoSeconds());
    const auto first =
        std::lower_bound(m_times.begin(), m_times.end(), within, [](uint32_t ms, Time t) {
            return MilliSeconds(ms) < t;
        });
    return cycle * m_times.size() + (first - m_times.begin());
}

} // namespace ns3
