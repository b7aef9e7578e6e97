// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_FEATURES_H
#define RATE_FEATURES_H

#include "link-statistics.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The observation of a station with R rates: 2 R + 3 numbers.
 *
 * Counts: frames acknowledged since the last call, by rate; frames not acknowledged; frames
 * retransmitted; signal-to-noise ratio of the last acknowledgement (dB, 0: none); rate of the last
 * transmission.
 *
 * Smoothed, all from 0 to 1. Let s and f be the numbers of acknowledged and unacknowledged frames
 * of a rate, where a frame counts e^-t after t times the memory. By rate: (s + 1) / (s + f + 2). By
 * rate: (s + f) / (s + f + 1). Retransmissions / completed frames, since the last call.
 * Signal-to-noise ratio / 50 dB. Rate of the last transmission / (R - 1).
 */
class RateFeatures
{
  public:
    /// Numbers in addition to those for each rate.
    static constexpr uint32_t OTHERS = 3;

    /**
     * @param rates Number of rates.
     * @param isSmoothed Whether features are smoothed, not counts.
     * @param memory Time constant of smoothed counts.
     */
    RateFeatures(uint32_t rates, bool isSmoothed, Time memory);

    /**
     * @param statistics Statistics of the station.
     * @return features of the time since the last call
     */
    std::vector<float> Make(const LinkStatistics& statistics);

    std::vector<float> GetLow() const;  //!< @return lower bounds
    std::vector<float> GetHigh() const; //!< @return upper bounds

  private:
    /// A rate.
    struct Rate
    {
        uint64_t successes{0};  //!< Acknowledged frames until the last update
        uint64_t failures{0};   //!< Unacknowledged frames until the last update
        double acknowledged{0}; //!< Decayed number of acknowledged frames
        double lost{0};         //!< Decayed number of unacknowledged frames
    };

    bool m_isSmoothed;         //!< Whether features are smoothed, not counts
    Time m_memory;             //!< Time constant of the decay
    std::vector<Rate> m_rates; //!< Rates of the table
    uint64_t m_retries{0};     //!< Retries until the last update
    Time m_made;               //!< Time of the last update
};

} // namespace ns3

#endif // RATE_FEATURES_H
