// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPIN_LIMIT_H
#define SPIN_LIMIT_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace ns3
{

/** Share of the simulation's computing time that is the adaptive limit. */
constexpr int PART = 10;

/**
 * @brief The time of busy waiting for Python's answer before a simulation sleeps.
 *
 * Waking a process takes longer than a fast policy's decision. Unless a time is given, the limit is
 * adaptive: a tenth of the computing time since the last answer, at most LONGEST; below SHORTEST,
 * the simulation sleeps at once. So busy waiting costs at most a tenth of the processor time, and
 * almost nothing when answers take longer: after each vain wait, the number of skipped waits
 * doubles, up to MOST_PASSED.
 */
class SpinLimit
{
  public:
    using Clock = std::chrono::steady_clock;                    //!< The clock
    using Time = Clock::time_point;                             //!< An instant
    using Duration = std::chrono::duration<double, std::micro>; //!< Time in microseconds

    static constexpr Duration SHORTEST{5};      //!< Shortest useful adaptive limit
    static constexpr Duration LONGEST{200};     //!< Longest adaptive limit
    static constexpr uint32_t MOST_PASSED = 15; //!< Maximum number of waits to skip

    /**
     * @param microseconds A constant limit; none: adaptive.
     */
    explicit SpinLimit(std::optional<double> microseconds = std::nullopt)
    {
        if (microseconds)
        {
            m_fixed = Duration(*microseconds);
        }
    }

    /**
     * Begin to wait.
     *
     * @param now This instant.
     * @return time of busy waiting, which may be zero
     */
    Duration Begin(Time now)
    {
        if (m_fixed)
        {
            return *m_fixed;
        }
        m_looking = false;
        const Duration computed = m_resumed ? now - *m_resumed : Duration(0);
        const auto limit = std::min(computed / PART, LONGEST);
        if (limit < SHORTEST)
        {
            return Duration(0);
        }
        if (m_passed > 0)
        {
            --m_passed;
            return Duration(0);
        }
        m_looking = true;
        return limit;
    }

    /**
     * End busy waiting; without effect if Begin() returned zero, or a limit is given.
     *
     * @param answered Whether the answer arrived.
     */
    void Note(bool answered)
    {
        if (!m_looking)
        {
            return;
        }
        m_inVain = answered ? 0 : std::min(2 * m_inVain + 1, MOST_PASSED);
        m_passed = m_inVain;
    }

    /**
     * End waiting: the answer has arrived.
     *
     * @param now This instant.
     */
    void End(Time now)
    {
        m_resumed = now;
    }

  private:
    std::optional<Duration> m_fixed; //!< The limit, unless it is adaptive
    std::optional<Time> m_resumed;   //!< Time since which the simulation runs
    bool m_looking{false};           //!< Whether Begin() has returned an adaptive limit
    uint32_t m_inVain{0};            //!< Waits to skip after the last vain one
    uint32_t m_passed{0};            //!< Skipped waits that are left
};

} // namespace ns3

#endif // SPIN_LIMIT_H
