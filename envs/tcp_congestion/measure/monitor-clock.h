// SPDX-License-Identifier: GPL-2.0-only

#ifndef MONITOR_CLOCK_H
#define MONITOR_CLOCK_H

#include "flow-rewards.h"
#include "tcp-flow.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Ends the monitor intervals of flows, and has them report.
 *
 * Intervals of fixed length end together, at multiples of it from the start; all are measured, then
 * all are reported. Otherwise an interval of a flow is as long as its smoothed round trip time at
 * the beginning, and at least SHORTEST.
 */
class MonitorClock
{
  public:
    static const Time SHORTEST; //!< Interval

    /**
     * @param interval Length of the intervals; 0: a round trip time.
     * @param rewards Their rewards.
     */
    MonitorClock(Time interval, FlowRewards rewards);

    /**
     * Add a flow.
     *
     * @param flow The flow.
     * @param propagation Time that the links alone take there and back.
     */
    void Add(Ptr<TcpFlow> flow, Time propagation);

    /// The episode begins.
    void Start();

  private:
    /// The intervals of all flows end.
    void Tick();

    /**
     * The interval of a flow ends.
     *
     * @param number Number of the flow.
     */
    void TickOne(uint32_t number);

    /**
     * The interval of a flow begins.
     *
     * @param number Number of the flow.
     */
    void ScheduleOne(uint32_t number);

    Time m_interval;                   //!< Length; 0: a round trip time
    FlowRewards m_rewards;             //!< The rewards of intervals
    std::vector<Ptr<TcpFlow>> m_flows; //!< That are measured
};

} // namespace ns3

#endif // MONITOR_CLOCK_H
