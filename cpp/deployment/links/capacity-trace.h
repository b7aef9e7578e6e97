// SPDX-License-Identifier: GPL-2.0-only

#ifndef CAPACITY_TRACE_H
#define CAPACITY_TRACE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief When a link may deliver: a trace in Mahimahi's format.
 *
 * Each line is a time in whole milliseconds from the start, not less than the one before, at which
 * OPPORTUNITY_BYTES may be delivered. Behind the last line the trace begins again, its last time
 * being its new start.
 */
class CapacityTrace
{
  public:
    static constexpr uint32_t OPPORTUNITY_BYTES = 1500; //!< Of an IP packet as long as an MTU

    /**
     * Read a file.
     *
     * @param path Path of the file.
     * @param fault Is set to what is wrong with it, or to an empty string.
     * @return the trace; an empty one if something is wrong
     */
    static CapacityTrace Read(const std::string& path, std::string& fault);

    /**
     * Make a trace of the numbers that lines of a file would have.
     *
     * @param times Times in ms.
     * @param fault Is set to what is wrong with them, or to an empty string.
     * @return the trace; an empty one if something is wrong
     */
    static CapacityTrace Make(std::vector<uint32_t> times, std::string& fault);

    /**
     * @param number Number of an opportunity to deliver, from 0.
     * @return when it is, from the start of the trace
     */
    Time GetTime(uint64_t number) const;

    /**
     * @param time From the start of the trace.
     * @return the number of the first opportunity that is not before it
     */
    uint64_t FindFirst(Time time) const;

    /**
     * @return mean capacity in bit/s
     */
    double GetMeanRate() const;

  private:
    std::vector<uint32_t> m_times; //!< In ms, in order
};

} // namespace ns3

#endif // CAPACITY_TRACE_H
