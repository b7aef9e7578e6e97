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
 * @brief The distribution of times, in bins that grow with them.
 *
 * Times below 128 steps of the clock have a bin each. From there on, each power of two is divided
 * into 64 bins of equal width, and a bin stands for its middle. So a quantile is that of the times
 * themselves, with an error of less than 1 % (1/128), whatever the times are. Memory is taken for
 * bins that something is in.
 */
class LatencyHistogram
{
  public:
    /**
     * @brief Take in a time.
     * @param time the time; a negative one counts as zero
     */
    void Add(Time time);

    /**
     * @brief Take in what another histogram has taken in.
     * @param other the other one
     */
    void Add(const LatencyHistogram& other);

    /**
     * @brief Get the time that a share of all is not longer than.
     * @param share from 0 to 1
     * @return the least time that has so large a share, within the error of a bin and between the
     *         least and the largest time; zero without any
     */
    Time GetQuantile(double share) const;

  private:
    std::map<uint32_t, uint64_t> m_counts; //!< How many times are in each bin
    uint64_t m_count{0};                   //!< How many there are
    Time m_min{};                          //!< The least
    Time m_max{};                          //!< The largest
};

} // namespace ns3

#endif /* LATENCY_HISTOGRAM_H */
