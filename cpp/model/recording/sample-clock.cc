// SPDX-License-Identifier: GPL-2.0-only

#include "private/sample-clock.h"

#include <utility>

namespace ns3
{

SampleClock::SampleClock(Time interval, std::function<void(Time)> write)
    : m_interval(interval),
      m_write(std::move(write))
{
}

void
SampleClock::Pass(Time now)
{
    m_write(m_next);
    const auto step = m_interval.GetTimeStep();
    m_next = TimeStep(((now.GetTimeStep() - 1) / step + 1) * step);
}

void
SampleClock::Finish()
{
    Advance();
    m_write(Simulator::Now());
}

} // namespace ns3
