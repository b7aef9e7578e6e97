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
 * Counts: frames acknowledged since the last time, by rate; frames not acknowledged; frames sent
 * again; signal-to-noise ratio of the last acknowledgement (dB, 0: none); rate of the last
 * transmission.
 *
 * Smoothed, all from 0 to 1. Let s and f be the frames of a rate that were acknowledged or not,
 * where a frame counts e^-t after t times the memory. By rate: (s + 1) / (s + f + 2). By rate:
 * (s + f) / (s + f + 1). Frames sent again / frames answered for, since the last time.
 * Signal-to-noise ratio / 50 dB. Rate of the last transmission / (R - 1).
 */
class RateFeatures
{
  public:
    /// Numbers beside those for each rate.
    static constexpr uint32_t OTHERS = 3;

    /**
     * @param rates Number of rates.
     * @param isSmoothed Smoothed rather than counts.
     * @param memory In which a frame fades, if they are smoothed.
     */
    RateFeatures(uint32_t rates, bool isSmoothed, Time memory);

    /**
     * @param statistics Statistics of the station.
     * @return what is seen of what happened since the last time
     */
    std::vector<float> Make(const LinkStatistics& statistics);

    std::vector<float> GetLow() const;  //!< @return lower bounds
    std::vector<float> GetHigh() const; //!< @return upper bounds

  private:
    /// A rate.
    struct Rate
    {
        uint64_t successes{0}; //!< Acknowledged until the last time
        uint64_t failures{0};  //!< Not acknowledged until then
        double heard{0};       //!< Acknowledged, older ones counting less
        double lost{0};        //!< Not acknowledged, older ones counting less
    };

    bool m_isSmoothed;         //!< Smoothed rather than counts
    Time m_memory;             //!< In which a frame fades
    std::vector<Rate> m_rates; //!< Of the table
    uint64_t m_retries{0};     //!< Until the last time
    Time m_made;               //!< When that was
};

} // namespace ns3

#endif // RATE_FEATURES_H
