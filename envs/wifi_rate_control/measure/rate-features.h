// SPDX-License-Identifier: GPL-2.0-only

#ifndef RATE_FEATURES_H
#define RATE_FEATURES_H

#include "link-statistics.h"

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ns3
{

constexpr float MOST_FRAMES = 1e6;
constexpr float LARGEST_RATIO = 100; //!< Signal to noise, in dB, plus or minus
constexpr float FULL_SCALE = 50;     //!< Smoothed range in dB

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
    RateFeatures(uint32_t rates, bool isSmoothed, Time memory)
        : m_isSmoothed(isSmoothed),
          m_memory(memory),
          m_rates(rates)
    {
    }

    /**
     * @param statistics Statistics of the station.
     * @return features of the time since the last call
     */
    std::vector<float> Make(const LinkStatistics& statistics)
    {
        const auto& now = statistics.Get();
        const auto count = m_rates.size();
        const auto fading = std::exp(-((Simulator::Now() - m_made) / m_memory).GetDouble());
        std::vector<float> features(2 * count + OTHERS);
        double answered = 0;
        for (std::size_t i = 0; i < count; i++)
        {
            auto& rate = m_rates[i];
            const double successes = now.successes[i] - rate.successes;
            const double failures = now.failures[i] - rate.failures;
            rate.successes = now.successes[i];
            rate.failures = now.failures[i];
            rate.acknowledged = fading * rate.acknowledged + successes;
            rate.lost = fading * rate.lost + failures;
            answered += successes + failures;
            const auto sum = rate.acknowledged + rate.lost;
            features[i] = m_isSmoothed ? (rate.acknowledged + 1) / (sum + 2) : successes;
            features[count + i] = m_isSmoothed ? sum / (sum + 1) : failures;
        }
        const double retries = now.retries - m_retries;
        m_retries = now.retries;
        m_made = Simulator::Now();
        auto* others = features.data() + 2 * count;
        others[0] = m_isSmoothed ? retries / std::max(answered, 1.) : retries;
        others[1] = m_isSmoothed ? now.snr / FULL_SCALE : now.snr;
        others[2] = m_isSmoothed ? now.row / std::max(count - 1., 1.) : now.row;
        const auto low = GetLow();
        const auto high = GetHigh();
        for (std::size_t i = 0; i < features.size(); i++)
        {
            features[i] = std::clamp(features[i], low[i], high[i]);
        }
        return features;
    }

    /// @return lower bounds
    std::vector<float> GetLow() const
    {
        std::vector<float> low(2 * m_rates.size() + OTHERS, 0);
        low[low.size() - 2] = m_isSmoothed ? 0 : -LARGEST_RATIO;
        return low;
    }

    /// @return upper bounds
    std::vector<float> GetHigh() const
    {
        std::vector<float> high(2 * m_rates.size() + OTHERS, m_isSmoothed ? 1 : MOST_FRAMES);
        if (!m_isSmoothed)
        {
            high[high.size() - 2] = LARGEST_RATIO;
            high[high.size() - 1] = m_rates.size() - 1;
        }
        return high;
    }

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
