// SPDX-License-Identifier: GPL-2.0-only

#include "collision-history.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

CollisionHistory::CollisionHistory(uint32_t samples)
    : m_size(samples)
{
}

void
CollisionHistory::Add(uint64_t transmissions, uint64_t failures, double exponent)
{
    if (transmissions > 0)
    {
        m_last = static_cast<double>(failures) / transmissions;
    }
    const Sample sample{m_last, exponent};
    if (m_samples.empty())
    {
        m_samples.assign(m_size, sample);
        return;
    }
    m_samples[m_oldest] = sample;
    m_oldest = (m_oldest + 1) % m_size;
}

std::vector<float>
CollisionHistory::Summarise(bool withExponent) const
{
    std::vector<float> summary;
    if (m_samples.empty())
    {
        summary.resize(WINDOWS * (withExponent ? 3 : 2));
        return summary;
    }
    const uint32_t stride = m_size / WINDOWS;
    for (uint32_t begin = 0; begin < m_size; begin += stride)
    {
        const uint32_t end = std::min(begin + 2 * stride, m_size);
        double sum = 0;
        double squares = 0;
        double exponents = 0;
        for (uint32_t i = begin; i < end; i++)
        {
            const auto& sample = m_samples[(m_oldest + i) % m_size];
            sum += sample.rate;
            squares += sample.rate * sample.rate;
            exponents += sample.exponent;
        }
        const double mean = sum / (end - begin);
        const double variance = squares / (end - begin) - mean * mean;
        summary.push_back(mean);
        summary.push_back(std::sqrt(std::max(variance, 0.)));
        if (withExponent)
        {
            summary.push_back(exponents / (end - begin));
        }
    }
    return summary;
}

double
CollisionHistory::GetLast() const
{
    return m_last;
}

} // namespace ns3
