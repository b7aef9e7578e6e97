// SPDX-License-Identifier: GPL-2.0-only

#ifndef CAPACITY_TRACE_H
#define CAPACITY_TRACE_H

#include "trace-format.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
    static CapacityTrace Read(const std::string& path, std::string& fault);

    /**
     * Make a trace from its times.
     *
     * @param times Times in ms.
     * @param fault Set to a fault of the times, or to an empty string.
     * @return the trace; an empty one on a fault
     */
    static CapacityTrace Make(std::vector<uint32_t> times, std::string& fault);

    /**
     * @param number Number of an opportunity to deliver, from 0.
     * @return its time from the start of the trace
     */
    Time GetTime(uint64_t number) const;

    /**
     * @param time Time from the start of the trace.
     * @return the number of the first opportunity at or after it
     */
    uint64_t FindFirst(Time time) const;

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
