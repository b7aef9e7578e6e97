// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGGREGATED_INFO_H
#define AGGREGATED_INFO_H

#include <cmath>
#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Minimum, maximum and mean of a series of numbers.
 *
 * Before the first number, all of them are NaN.
 */
class AggregatedInfo
{
  public:
    /**
     * @brief Add a number.
     * @param value the number
     */
    void UpdateStatistics(double value)
    {
        // fmin and fmax return the number when the other operand is NaN.
        m_min = std::fmin(m_min, value);
        m_max = std::fmax(m_max, value);
        m_sum += value;
        ++m_count;
    }

    /**
     * @brief Add all numbers of another aggregate.
     * @param other the other aggregate
     */
    void UpdateStatistics(const AggregatedInfo& other)
    {
        m_min = std::fmin(m_min, other.m_min);
        m_max = std::fmax(m_max, other.m_max);
        m_sum += other.m_sum;
        m_count += other.m_count;
    }

    /**
     * @brief Get the least number.
     * @return the minimum
     */
    double GetMin() const
    {
        return m_min;
    }

    /**
     * @brief Get the greatest number.
     * @return the maximum
     */
    double GetMax() const
    {
        return m_max;
    }

    /**
     * @brief Get the mean; each number has the same weight.
     * @return the mean
     */
    double GetAvg() const
    {
        return m_count > 0 ? m_sum / static_cast<double>(m_count)
                           : std::numeric_limits<double>::quiet_NaN();
    }

    /**
     * @brief Get the number of added numbers.
     * @return the count
     */
    uint64_t GetCount() const
    {
        return m_count;
    }

  private:
    double m_min{std::numeric_limits<double>::quiet_NaN()}; //!< Least number
    double m_max{std::numeric_limits<double>::quiet_NaN()}; //!< Greatest number
    double m_sum{0};                                        //!< Sum of all
    uint64_t m_count{0};                                    //!< Number of all
};

} // namespace ns3

#endif // AGGREGATED_INFO_H
