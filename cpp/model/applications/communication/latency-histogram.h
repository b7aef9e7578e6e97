// SPDX-License-Identifier: GPL-2.0-only

#ifndef LATENCY_HISTOGRAM_H
#define LATENCY_HISTOGRAM_H

#include "ns3/nstime.h"

#include <cstdint>
#include <map>

namespace ns3
{

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
    void Add(Time time);

    /**
     * @brief Add the times of another histogram.
     * @param other the other histogram
     */
    void Add(const LatencyHistogram& other);

    /**
     * @brief Get a quantile.
     * @param share the share of times, from 0 to 1
     * @return the least time that at least this share of times does not exceed, with the error of a
     * bin, but never below the least or above the largest time; zero without times
     */
    Time GetQuantile(double share) const;

  private:
    std::map<uint32_t, uint64_t> m_counts; //!< Number of times in each bin
    uint64_t m_count{0};                   //!< Number of times in all bins
    Time m_min{};                          //!< The least
    Time m_max{};                          //!< The largest
};

} // namespace ns3

#endif /* LATENCY_HISTOGRAM_H */
