// SPDX-License-Identifier: GPL-2.0-only

#ifndef CAPACITY_TRACE_H
#define CAPACITY_TRACE_H

#include "trace-format.h"

#include "ns3/nstime.h"
#include "ns3/regular-file.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/** The size limit of a trace in bytes: some hours at 1 Gb/s. */
constexpr std::size_t MOST_TRACE_BYTES = std::size_t{1} << 26;

/**
 * @brief Delivery times of a link: at each time, OPPORTUNITY_BYTES may be delivered.
 *
 * After the last time the trace repeats, and the last time becomes its new start.
 */
class CapacityTrace
{
  public:
    CapacityTrace() = default;

    /**
     * Read a file in a format of ParseTrace().
     *
     * @param path Path of the file.
     * @param fault Set to a fault of the file, or to an empty string.
     * @return the trace; an empty one on a fault
     */
    static CapacityTrace Read(const std::string& path, std::string& fault)
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

    /**
     * Make a trace from its times.
     *
     * @param times Times in ms.
     * @param fault Set to a fault of the times, or to an empty string.
     * @return the trace; an empty one on a fault
     */
    static CapacityTrace Make(std::vector<uint32_t> times, std::string& fault)
    {
        fault = FindTraceFault(times);
        return fault.empty() ? CapacityTrace(std::move(times)) : CapacityTrace();
    }

    /**
     * @param number Number of an opportunity to deliver, from 0.
     * @return its time from the start of the trace
     */
    Time GetTime(uint64_t number) const
    {
        const auto cycle = number / m_times.size();
        return MilliSeconds(cycle * m_times.back() + m_times[number % m_times.size()]);
    }

    /**
     * @param time Time from the start of the trace.
     * @return the number of the first opportunity at or after it
     */
    uint64_t FindFirst(Time time) const
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

    /**
     * @return mean capacity in bit/s
     */
    double GetMeanRate() const
    {
        return 8e3 * OPPORTUNITY_BYTES * m_times.size() / m_times.back();
    }

  private:
    /// @param times Valid times.
    explicit CapacityTrace(std::vector<uint32_t> times)
        : m_times(std::move(times))
    {
    }

    std::vector<uint32_t> m_times; //!< Times of the opportunities in ms, in order
};

} // namespace ns3

#endif // CAPACITY_TRACE_H
