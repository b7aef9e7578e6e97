// SPDX-License-Identifier: GPL-2.0-only

#include "private/spin-limit.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** Share of the simulation's computing time that is the adaptive limit. */
constexpr int PART = 10;

} // namespace

SpinLimit::SpinLimit(std::optional<double> microseconds)
{
    if (microseconds)
    {
        m_fixed = Duration(*microseconds);
    }
}

SpinLimit::Duration
SpinLimit::Begin(Time now)
{
    if (m_fixed)
    {
        return *m_fixed;
    }
    m_looking = false;
    const Duration computed = m_resumed ? now - *m_resumed : Duration(0);
    const auto limit = std::min(computed / PART, LONGEST);
    if (limit < SHORTEST)
    {
        return Duration(0);
    }
    if (m_passed > 0)
    {
        --m_passed;
        return Duration(0);
    }
    m_looking = true;
    return limit;
}

void
SpinLimit::Note(bool answered)
{
    if (!m_looking)
    {
        return;
    }
    m_inVain = answered ? 0 : std::min(2 * m_inVain + 1, MOST_PASSED);
    m_passed = m_inVain;
}

} // namespace ns3
