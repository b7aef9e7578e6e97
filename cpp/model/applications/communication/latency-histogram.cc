// SPDX-License-Identifier: GPL-2.0-only

#include "latency-histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ns3
{

namespace
{

constexpr uint32_t BIN_BITS = 6;           // 64 bins for each power of two
constexpr uint64_t BINS = 1 << BIN_BITS;   // bins of equal width
constexpr uint64_t SINGLE_BINS = 2 * BINS; // below, each step of the clock has a bin

/**
 * @param steps A time in steps of the clock.
 * @return the bin
 */
uint32_t
GetBin(uint64_t steps)
{
    if (steps < SINGLE_BINS)
    {
        return steps;
    }
    const auto shift = static_cast<uint32_t>(std::bit_width(steps)) - BIN_BITS - 1;
    return shift * BINS + (steps >> shift);
}

/**
 * @param bin A bin.
 * @return the middle of the bin, in steps of the clock
 */
uint64_t
GetMiddle(uint32_t bin)
{
    if (bin < SINGLE_BINS)
    {
        return bin;
    }
    const auto shift = static_cast<uint32_t>(bin / BINS) - 1;
    const auto first = (bin - shift * BINS) << shift;
    return first + (uint64_t{1} << shift) / 2;
}

} // namespace

void
LatencyHistogram::Add(Time time)
{
    time = std::max(time, Time{});
    m_min = m_count > 0 ? std::min(m_min, time) : time;
    m_max = std::max(m_max, time);
    ++m_count;
    ++m_counts[GetBin(time.GetTimeStep())];
}

void
LatencyHistogram::Add(const LatencyHistogram& other)
{
    if (other.m_count == 0)
    {
        return;
    }
    m_min = m_count > 0 ? std::min(m_min, other.m_min) : other.m_min;
    m_max = std::max(m_max, other.m_max);
    m_count += other.m_count;
    for (const auto& [bin, count] : other.m_counts)
    {
        m_counts[bin] += count;
    }
}

Time
LatencyHistogram::GetQuantile(double share) const
{
    const auto rank = std::max(1.0, std::ceil(share * static_cast<double>(m_count)));
    uint64_t passed = 0;
    for (const auto& [bin, count] : m_counts)
    {
        passed += count;
        if (static_cast<double>(passed) >= rank)
        {
            return std::clamp(TimeStep(GetMiddle(bin)), m_min, m_max);
        }
    }
    return m_max;
}

} // namespace ns3
