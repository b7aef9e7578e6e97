// SPDX-License-Identifier: GPL-2.0-only

#ifndef COLLISION_HISTORY_H
#define COLLISION_HISTORY_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The last collision rates that an agent received, and their statistics in windows.
 *
 * A window is half as long as the history, and begins a quarter of the history after the previous
 * window. So the history has four windows, oldest first, and the last window is half empty. Before
 * the first sample all statistics are 0; the first sample also fills the older part of the history.
 */
class CollisionHistory
{
  public:
    static constexpr uint32_t WINDOWS = 4; //!< Number of windows

    /**
     * @param samples Number of samples; a multiple of WINDOWS.
     */
    explicit CollisionHistory(uint32_t samples);

    /**
     * Add the transmissions since the last sample. Without transmissions, the last rate is added
     * again.
     *
     * @param transmissions Transmissions of data frames.
     * @param failures Number of these frames without acknowledgement.
     * @param exponent Exponent at that time, from 0 to 1.
     */
    void Add(uint64_t transmissions, uint64_t failures, double exponent);

    /**
     * @param withExponent Whether to add the mean exponent of each window.
     * @return mean and standard deviation of the rates of each window, in the order of windows
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
        double rate;     //!< Failures per transmission
        double exponent; //!< Exponent at that time, from 0 to 1
    };

    uint32_t m_size;               //!< Number of samples
    std::vector<Sample> m_samples; //!< Ring of samples; empty at first
    uint32_t m_oldest{0};          //!< Begin of the ring
    double m_last{0};              //!< The last rate
};

} // namespace ns3

#endif // COLLISION_HISTORY_H
