// SPDX-License-Identifier: GPL-2.0-only

#ifndef SAMPLE_CLOCK_H
#define SAMPLE_CLOCK_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <functional>

namespace ns3
{

/**
 * @brief Has samples written as of multiples of an interval, without its own events.
 *
 * The caller calls Advance() before each change. The state until then is that of the
 * multiple that was awaited, since nothing has changed after it; so samples are exact, and there
 * are none of a time in which nothing changes.
 */
class SampleClock
{
  public:
    /**
     * @param interval Simulated time between samples.
     * @param write Writes the present state, as of the time that it is given.
     */
    SampleClock(Time interval, std::function<void(Time)> write);

    /** Have the state written if its time is over; call it before each change. */
    void Advance()
    {
        if (const auto now = Simulator::Now(); now > m_next)
        {
            Pass(now);
        }
    }

    /** Have the last state written as of now. */
    void Finish();

  private:
    /**
     * Have the state written, and await the next multiple.
     *
     * @param now The present time.
     */
    void Pass(Time now);

    Time m_interval;                   //!< Between samples
    Time m_next;                       //!< The multiple that is awaited
    std::function<void(Time)> m_write; //!< Writes the state
};

} // namespace ns3

#endif /* SAMPLE_CLOCK_H */
