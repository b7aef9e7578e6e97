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
 * @brief Ends the monitor intervals of flows, and lets the flows report.
 *
 * Intervals of fixed length end together, at multiples of the length; all are measured, then all
 * are reported. Otherwise a flow's interval lasts its smoothed round trip time at the beginning,
 * and at least SHORTEST.
 */
class MonitorClock
{
  public:
    static const Time SHORTEST; //!< Shortest interval

    /**
     * @param interval Length of the intervals; 0: a round trip time.
     * @param rewards Rewards of the flows.
     */
    MonitorClock(Time interval, FlowRewards rewards);

    /**
     * Add a flow.
     *
     * @param flow The flow.
     * @param propagation Round trip time without queues.
     */
    void Add(Ptr<TcpFlow> flow, Time propagation);

    /// Begin the episode.
    void Start();

  private:
    /// End the intervals of all flows.
    void Tick();

    /**
     * End the interval of a flow.
     *
     * @param number Number of the flow.
     */
    void TickOne(uint32_t number);

    /**
     * Begin the interval of a flow.
     *
     * @param number Number of the flow.
     */
    void ScheduleOne(uint32_t number);

    Time m_interval;                   //!< Length; 0: a round trip time
    FlowRewards m_rewards;             //!< The rewards of intervals
    std::vector<Ptr<TcpFlow>> m_flows; //!< The measured flows
};

} // namespace ns3

#endif // MONITOR_CLOCK_H
