// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_COUNTER_H
#define TRACE_COUNTER_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// The values of a trace source that a counter uses.
enum class TraceContent
{
    EVENTS,   //!< Events without a value
    PACKETS,  //!< Packets, or frames, which have a size
    INTEGERS, //!< An integer, before and now
    NUMBERS,  //!< A number, before and now
};

/**
 * @brief Reports of a trace source within an interval.
 */
struct TraceSummary
{
    TraceContent content{TraceContent::EVENTS}; //!< Kind of the values
    uint64_t count{0};                          //!< Number of events
    uint64_t bytes{0};                          //!< Size of all packets
    double value{0};                            //!< The latest
    double minimum{0};                          //!< Least value
    double maximum{0};                          //!< Largest value
    double integral{0};                         //!< Integral of the value over time
    Time begin;                                 //!< Begin of the integral
    Time end;                                   //!< End of the integral

    /// @return the mean of the value over time
    double GetMean() const
    {
        const auto duration = (end - begin).GetTimeStep();
        return duration > 0 ? integral / static_cast<double>(duration) : value;
    }
};

/**
 * @brief Counts the reports of a trace source, without a Python function.
 *
 * A trace source reports only changes. Before the first change, a value counts as 0; from then on,
 * the previous value is known.
 */
class TraceCounter
{
  public:
    /// @param content The reports of the trace source.
    explicit TraceCounter(TraceContent content)
    {
        m_latest.content = content;
        m_latest.begin = m_latest.end = Simulator::Now();
        m_earlier = m_latest;
    }

    /// Count an event.
    void Count()
    {
        ++m_latest.count;
    }

    /// @param bytes Size of a packet.
    void Count(uint64_t bytes)
    {
        ++m_latest.count;
        m_latest.bytes += bytes;
    }

    /// @param before The previous value. @param now The value.
    void Change(double before, double now)
    {
        if (!m_hasChanged)
        {
            Begin(before);
        }
        Advance(m_latest);
        ++m_latest.count;
        m_latest.value = now;
        m_latest.minimum = std::min(m_latest.minimum, now);
        m_latest.maximum = std::max(m_latest.maximum, now);
    }

    /// @return the reports since the last call
    TraceSummary Take()
    {
        m_earlier = GetTotal();
        Advance(m_latest);
        const auto taken = m_latest;
        m_latest = {.content = taken.content,
                    .value = taken.value,
                    .minimum = taken.value,
                    .maximum = taken.value,
                    .begin = taken.end,
                    .end = taken.end};
        return taken;
    }

    /// @return the reports since counting began
    TraceSummary GetTotal() const
    {
        auto total = m_latest;
        Advance(total);
        total.count += m_earlier.count;
        total.bytes += m_earlier.bytes;
        total.minimum = std::min(total.minimum, m_earlier.minimum);
        total.maximum = std::max(total.maximum, m_earlier.maximum);
        total.integral += m_earlier.integral;
        total.begin = m_earlier.begin;
        return total;
    }

  private:
    /// @param summary Summary to update to the present time.
    static void Advance(TraceSummary& summary)
    {
        const auto now = Simulator::Now();
        summary.integral += summary.value * static_cast<double>((now - summary.end).GetTimeStep());
        summary.end = now;
    }

    /// @param value The first value.
    void Begin(double value)
    {
        m_hasChanged = true;
        for (auto* summary : {&m_earlier, &m_latest})
        {
            const auto duration = (summary->end - summary->begin).GetTimeStep();
            summary->value = summary->minimum = summary->maximum = value;
            summary->integral = value * static_cast<double>(duration);
        }
    }

    TraceSummary m_earlier;   //!< Summary until the last reset
    TraceSummary m_latest;    //!< Summary since the last reset
    bool m_hasChanged{false}; //!< Whether a value is known
};

} // namespace ns3

#endif // TRACE_COUNTER_H
