// SPDX-License-Identifier: GPL-2.0-only

#include "capacity-trace.h"

#include "ns3/regular-file.h"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace ns3
{

namespace
{

/** The most bytes of a trace: some hours at 1 Gb/s. */
constexpr std::size_t MOST_TRACE_BYTES = std::size_t{1} << 26;

/**
 * @param line A line of a trace.
 * @param time Is set to what it says.
 * @return whether it is a number
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
    CapacityTrace trace;
    const auto read = ReadRegularFile(path, MOST_TRACE_BYTES);
    fault.clear();
    if (!read.fault.empty())
    {
        fault = "cannot be read: " + read.fault;
        return {};
    }
    std::istringstream file(read.content);
    uint32_t time = 0;
    for (std::string line; fault.empty() && std::getline(file, line);)
    {
        if (!ReadTime(line, time))
        {
            fault = "has \"" + line + "\" in line " + std::to_string(trace.m_times.size() + 1) +
                    ", where each line is a whole number of milliseconds";
        }
        else if (!trace.m_times.empty() && time < trace.m_times.back())
        {
            fault = "goes back from " + std::to_string(trace.m_times.back()) + " to " +
                    std::to_string(time) + " ms in line " +
                    std::to_string(trace.m_times.size() + 1);
        }
        trace.m_times.push_back(time);
    }
    if (fault.empty() && (trace.m_times.empty() || trace.m_times.back() == 0))
    {
        fault = "has no line of more than 0 ms, at which it would begin again";
    }
    return fault.empty() ? trace : CapacityTrace();
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
    // An instant at which one cycle ends belongs to the end of that cycle, too.
    const auto nanoseconds = time.GetNanoSeconds();
    const auto cycle = nanoseconds == 0 ? 0 : (nanoseconds - 1) / period.GetNanoSeconds();
    const auto within = time - NanoSeconds(cycle * period.GetNanoSeconds());
    const auto first =
        std::lower_bound(m_times.begin(), m_times.end(), within, [](uint32_t ms, Time t) {
            return MilliSeconds(ms) < t;
        });
    return cycle * m_times.size() + (first - m_times.begin());
}

double
CapacityTrace::GetMeanRate() const
{
    return 8e3 * OPPORTUNITY_BYTES * m_times.size() / m_times.back();
}

} // namespace ns3
