// SPDX-License-Identifier: GPL-2.0-only

#ifndef SAMPLE_CLOCK_H
#define SAMPLE_CLOCK_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <functional>
#include <utility>

namespace ns3
{

/**
 * @brief Writes samples for multiples of an interval, without its own events.
 *
 * The caller calls Advance() before each change. The state before the change is the state at the
 * awaited multiple, as nothing has changed since. So samples are exact, and times without changes
 * have none.
 */
class SampleClock
{
  public:
    /**
     * @param interval Simulated time between samples.
     * @param write Writes the present state, for the given time.
     */
    SampleClock(Time interval, std::function<void(Time)> write)
        : m_interval(interval),
          m_write(std::move(write))
    {
    }

    /** Write the state if its time is over; call this before each change. */
    void Advance()
    {
        if (const auto now = Simulator::Now(); now > m_next)
        {
            Pass(now);
        }
    }

    /** Write the last state for the present time. */
    void Finish()
    {
        Advance();
        m_write(Simulator::Now());
    }

  private:
    /**
     * Write the state, and await the next multiple.
     *
     * @param now The present time.
     */
    void Pass(Time now)
    {
        m_write(m_next);
        const auto step = m_interval.GetTimeStep();
        m_next = TimeStep(((now.GetTimeStep() - 1) / step + 1) * step);
    }

    Time m_interval;                   //!< Interval between samples
    Time m_next;                       //!< Next sample time
    std::function<void(Time)> m_write; //!< Function that writes the state
};

} // namespace ns3

#endif /* SAMPLE_CLOCK_H */
