// SPDX-License-Identifier: GPL-2.0-only

#include "trace-counter.h"

namespace ns3
{

TraceCounter::TraceCounter(TraceContent content)
{
    m_latest.content = content;
    m_latest.begin = m_latest.end = Simulator::Now();
    m_earlier = m_latest;
}

TraceSummary
TraceCounter::Take()
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

TraceSummary
TraceCounter::GetTotal() const
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

void
TraceCounter::Begin(double value)
{
    m_hasChanged = true;
    for (auto* summary : {&m_earlier, &m_latest})
    {
        const auto duration = (summary->end - summary->begin).GetTimeStep();
        summary->value = summary->minimum = summary->maximum = value;
        summary->integral = value * static_cast<double>(duration);
    }
}

} // namespace ns3
