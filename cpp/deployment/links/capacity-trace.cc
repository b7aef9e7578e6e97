// SPDX-License-Identifier: GPL-2.0-only

#include "capacity-trace.h"

#include "ns3/regular-file.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/** The size limit of a trace in bytes: some hours at 1 Gb/s. */
constexpr std::size_t MOST_TRACE_BYTES = std::size_t{1} << 26;

} // namespace

CapacityTrace
CapacityTrace::Read(const std::string& path, std::string& fault)
{
    const auto read = ReadRegularFile(path, MOST_TRACE_BYTES);
    if (!read.fault.empty())
    {
        fault = "cannot be read: " + read.fault;
        return {};
    }
    auto times = ParseTrace(read.content, fault);
    return fault.empty() ? CapacityTrace(std::move(times)) : CapacityTrace();
}

CapacityTrace
CapacityTrace::Make(std::vector<uint32_t> times, std::string& fault)
{
    fault = FindTraceFault(times);
    return fault.empty() ? CapacityTrace(std::move(times)) : CapacityTrace();
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
