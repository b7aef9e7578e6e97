// SPDX-License-Identifier: GPL-2.0-only

#ifndef COLLISION_HISTORY_H
#define COLLISION_HISTORY_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The last collision rates that an agent has received, and their statistics in windows.
 *
 * A window is half as long as the history, and begins a quarter of it after the one before; so
 * there are four, the oldest first, and the last one is half empty. Before the first sample all
 * statistics are 0; what would be older than that is taken to be like it.
 */
class CollisionHistory
{
  public:
    static constexpr uint32_t WINDOWS = 4; //!< Number of windows

    /**
     * @param samples How many it holds; a multiple of WINDOWS.
     */
    explicit CollisionHistory(uint32_t samples);

    /**
     * Add what happened since the last sample. If nothing was sent, nothing new is known, and the
     * last rate is taken again.
     *
     * @param transmissions Transmissions of data frames.
     * @param failures The number of these frames that were not acknowledged.
     * @param exponent Chosen meanwhile, from 0 to 1.
     */
    void Add(uint64_t transmissions, uint64_t failures, double exponent);

    /**
     * @param withExponent Whether to add the mean exponent of each window.
     * @return mean and standard deviation of the rates of each window, one window after the other
     */
    std::vector<float> Summarise(bool withExponent) const;

    /**
     * @return the last rate
     */
    double GetLast() const;

  private:
    /// A sample.
    struct Sample
    {
        double rate;     //!< Failures by transmissions
        double exponent; //!< Chosen meanwhile, from 0 to 1
    };

    uint32_t m_size;               //!< Samples that it holds
    std::vector<Sample> m_samples; //!< A ring; empty before the first one
    uint32_t m_oldest{0};          //!< Where the ring begins
    double m_last{0};              //!< The last rate
};

} // namespace ns3

#endif // COLLISION_HISTORY_H
