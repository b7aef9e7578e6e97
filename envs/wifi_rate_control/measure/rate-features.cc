// SPDX-License-Identifier: GPL-2.0-only

#include "rate-features.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr float MOST_FRAMES = 1e6;
constexpr float LARGEST_RATIO = 100; //!< Signal to noise, in dB, plus or minus
constexpr float FULL_SCALE = 50;     //!< Smoothed range in dB

} // namespace

RateFeatures::RateFeatures(uint32_t rates, bool isSmoothed, Time memory)
    : m_isSmoothed(isSmoothed),
      m_memory(memory),
      m_rates(rates)
{
}

std::vector<float>
RateFeatures::Make(const LinkStatistics& statistics)
{
    const auto count = m_rates.size();
    const auto fading = std::exp(-((Simulator::Now() - m_made) / m_memory).GetDouble());
    std::vector<float> features(2 * count + OTHERS);
    double answered = 0;
    for (std::size_t i = 0; i < count; i++)
    {
        auto& rate = m_rates[i];
        const double successes = statistics.GetSuccesses()[i] - rate.successes;
        const double failures = statistics.GetFailures()[i] - rate.failures;
        rate.successes = statistics.GetSuccesses()[i];
        rate.failures = statistics.GetFailures()[i];
        rate.acknowledged = fading * rate.acknowledged + successes;
        rate.lost = fading * rate.lost + failures;
        answered += successes + failures;
        const auto sum = rate.acknowledged + rate.lost;
        features[i] = m_isSmoothed ? (rate.acknowledged + 1) / (sum + 2) : successes;
        features[count + i] = m_isSmoothed ? sum / (sum + 1) : failures;
    }
    const double retries = statistics.GetRetries() - m_retries;
    m_retries = statistics.GetRetries();
    m_made = Simulator::Now();
    auto* others = features.data() + 2 * count;
    others[0] = m_isSmoothed ? retries / std::max(answered, 1.) : retries;
    others[1] = m_isSmoothed ? statistics.GetSnr() / FULL_SCALE : statistics.GetSnr();
    others[2] = m_isSmoothed ? statistics.GetRow() / std::max(count - 1., 1.) : statistics.GetRow();
    const auto low = GetLow();
    const auto high = GetHigh();
    for (std::size_t i = 0; i < features.size(); i++)
    {
        features[i] = std::clamp(features[i], low[i], high[i]);
    }
    return features;
}

std::vector<float>
RateFeatures::GetLow() const
{
    std::vector<float> low(2 * m_rates.size() + OTHERS, 0);
    low[low.size() - 2] = m_isSmoothed ? 0 : -LARGEST_RATIO;
    return low;
}

std::vector<float>
RateFeatures::GetHigh() const
{
    std::vector<float> high(2 * m_rates.size() + OTHERS, m_isSmoothed ? 1 : MOST_FRAMES);
    if (!m_isSmoothed)
    {
        high[high.size() - 2] = LARGEST_RATIO;
        high[high.size() - 1] = m_rates.size() - 1;
    }
    return high;
}

} // namespace ns3
