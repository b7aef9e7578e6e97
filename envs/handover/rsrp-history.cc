// SPDX-License-Identifier: GPL-2.0-only

#include "rsrp-history.h"

#include <algorithm>

namespace ns3
{

void
RsrpHistory::Add(Time time, float rsrp)
{
    m_reports.emplace_back(time, rsrp);
    while (m_reports.size() > 1 && m_reports[1].first <= time - Seconds(1))
    {
        m_reports.pop_front();
    }
}

float
RsrpHistory::GetChange(Time period) const
{
    if (m_reports.empty())
    {
        return 0;
    }
    const auto& [now, rsrp] = m_reports.back();
    const auto earlier =
        std::find_if(m_reports.rbegin(), m_reports.rend(), [now, period](const auto& report) {
            return report.first <= now - period;
        });
    return rsrp - (earlier == m_reports.rend() ? m_reports.front() : *earlier).second;
}

} // namespace ns3
