// SPDX-License-Identifier: GPL-2.0-only

#ifndef REAL_TIME_CLOCK_H
#define REAL_TIME_CLOCK_H

#include "ns3/nstime.h"
#include "ns3/opengym-info.h"
#include "ns3/realtime-simulator-impl.h"

#include <functional>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @brief Measures the lag of a simulation in real time: the delay of its events.
 *
 * An event of each millisecond of simulated time compares simulated time with real time.
 */
class RealTimeClock
{
  public:
    /**
     * Begin to measure.
     *
     * @param fail Ends the episode with a message; called when the lag exceeds its bound.
     * @return the clock; null: the simulator does not run in real time
     */
    static std::unique_ptr<RealTimeClock> Start(std::function<void(const std::string&)> fail);

    /** @return whether the simulator runs in real time */
    static bool IsPresent();

    /**
     * @param lag The largest lag of an episode; without a call there is no bound.
     */
    static void SetMaxLag(Time lag);

    /**
     * @param [in,out] info Info to extend by the lags: `realtime/lag`, the largest since the last
     * round, and `realtime/max_lag`, the largest of the episode, in seconds.
     */
    void AddTo(OpenGymInfo& info) const;

    /** Begin another round: `realtime/lag` starts again from zero. */
    void BeginRound()
    {
        m_lag = Time(0);
    }

  private:
    /**
     * @param simulator The simulator in real time.
     * @param fail See Start().
     */
    RealTimeClock(Ptr<RealtimeSimulatorImpl> simulator,
                  std::function<void(const std::string&)> fail);

    /** Measure the lag now, and schedule the next measurement. */
    void Measure();

    Ptr<RealtimeSimulatorImpl> m_simulator;         //!< Simulator with the real time
    std::function<void(const std::string&)> m_fail; //!< Function that ends the episode
    Time m_lag;                                     //!< The largest since the last round
    Time m_maxLag;                                  //!< The largest of the episode
};

} // namespace ns3

#endif /* REAL_TIME_CLOCK_H */
