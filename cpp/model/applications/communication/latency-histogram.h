// SPDX-License-Identifier: GPL-2.0-only

#ifndef LATENCY_HISTOGRAM_H
#define LATENCY_HISTOGRAM_H

#include "ns3/nstime.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

namespace ns3
{

constexpr uint32_t BIN_BITS = 6;           // 64 bins for each power of two
constexpr uint64_t BINS = 1 << BIN_BITS;   // bins of equal width
constexpr uint64_t SINGLE_BINS = 2 * BINS; // below, each step of the clock has a bin

/**
 * @ingroup defiance
 *
 * @brief The distribution of times, in bins of growing width.
 *
 * Times below 128 steps of the clock have a bin each. Beyond, each power of two is divided into 64
 * bins of equal width, and a bin represents its middle. So quantiles have an error of less than 1 %
 * (1/128) for all times. Only bins with times need memory.
 */
class LatencyHistogram
{
  public:
    /**
     * @brief Add a time.
     * @param time the time; a negative one counts as zero
     */
    void Add(Time time)
    {
        time = std::max(time, Time{});
        m_min = m_count > 0 ? std::min(m_min, time) : time;
        m_max = std::max(m_max, time);
        ++m_count;
        ++m_counts[GetBin(time.GetTimeStep())];
    }

    /**
     * @brief Get a quantile.
     * @param share the share of times, from 0 to 1
     * @return the least time that at least this share of times does not exceed, with the error of a
     * bin, but never below the least or above the largest time; zero without times
     */
    Time GetQuantile(double share) const
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

  private:
    /**
     * @param steps A time in steps of the clock.
     * @return the bin
     */
    static uint32_t GetBin(uint64_t steps)
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
    static uint64_t GetMiddle(uint32_t bin)
    {
        if (bin < SINGLE_BINS)
        {
            return bin;
        }
        const auto shift = static_cast<uint32_t>(bin / BINS) - 1;
        const auto first = (bin - shift * BINS) << shift;
        return first + (uint64_t{1} << shift) / 2;
    }

    std::map<uint32_t, uint64_t> m_counts; //!< Number of times in each bin
    uint64_t m_count{0};                   //!< Number of times in all bins
    Time m_min{};                          //!< The least
    Time m_max{};                          //!< The largest
};

} // namespace ns3

#endif // LATENCY_HISTOGRAM_H
