// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPIN_LIMIT_H
#define SPIN_LIMIT_H

#include <chrono>
#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @brief How long a simulation looks for Python's answer before it sleeps.
 *
 * To wake a process takes longer than a fast policy does. Unless a time is given, the limit is
 * adaptive: a tenth of the time that the simulation has just computed for, at most LONGEST, and
 * nothing where that is less than SHORTEST. So looking costs a tenth of the processor time at most,
 * and next to nothing where answers take longer: after each one that did not come in time, twice
 * as many waits pass without looking, up to MOST_PASSED.
 */
class SpinLimit
{
  public:
    using Clock = std::chrono::steady_clock;                    //!< The clock
    using Time = Clock::time_point;                             //!< An instant
    using Duration = std::chrono::duration<double, std::micro>; //!< In microseconds

    static constexpr Duration SHORTEST{5};      //!< Adaptive limit that is worth it
    static constexpr Duration LONGEST{200};     //!< Longest adaptive limit
    static constexpr uint32_t MOST_PASSED = 15; //!< Waits without looking after one in vain

    /**
     * @param microseconds A limit that is always the same; none: adaptive.
     */
    explicit SpinLimit(std::optional<double> microseconds = std::nullopt);

    /**
     * Begin to wait.
     *
     * @param now This instant.
     * @return how long to look, which may be zero
     */
    Duration Begin(Time now);

    /**
     * Stop looking; nothing is learnt where Begin() has returned zero, or a limit is given.
     *
     * @param answered Whether the answer has come.
     */
    void Note(bool answered);

    /**
     * Stop waiting: the answer is there.
     *
     * @param now This instant.
     */
    void End(Time now);

  private:
    std::optional<Duration> m_fixed; //!< The limit, unless it is adaptive
    std::optional<Time> m_resumed;   //!< Since when the simulation computes
    bool m_looking{false};           //!< Whether Begin() has returned an adaptive limit
    uint32_t m_inVain{0};            //!< Waits to be passed after the last one in vain
    uint32_t m_passed{0};            //!< How many of them are left
};

} // namespace ns3

#endif /* SPIN_LIMIT_H */
