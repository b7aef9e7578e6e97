// SPDX-License-Identifier: GPL-2.0-only

#include "aggregated-info.h"

#include <cmath>

namespace ns3
{

void
AggregatedInfo::UpdateStatistics(double value)
{
    // fmin and fmax return the number when the other operand is NaN.
    m_min = std::fmin(m_min, value);
    m_max = std::fmax(m_max, value);
    m_sum += value;
    ++m_count;
}

void
AggregatedInfo::UpdateStatistics(const AggregatedInfo& other)
{
    m_min = std::fmin(m_min, other.m_min);
    m_max = std::fmax(m_max, other.m_max);
    m_sum += other.m_sum;
    m_count += other.m_count;
}

double
AggregatedInfo::GetAvg() const
{
    return m_count > 0 ? m_sum / static_cast<double>(m_count)
                       : std::numeric_limits<double>::quiet_NaN();
}

} // namespace ns3
