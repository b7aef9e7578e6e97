// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_HISTORY_H
#define FLOW_HISTORY_H

#include "tcp-flow.h"

#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Observations that do not depend on the rate of the link: ratios and logarithms (base 2) of
 * a flow's last monitor intervals.
 *
 * The product of an interval is its throughput x the minimum round trip time. The window is the
 * congestion window, or the pacing rate x the minimum round trip time.
 *
 * For each interval, newest first: log2(product / window), log2(round trip time / minimum),
 * retransmitted / sent, acknowledged / sent, in flight / window, log2(1 + segments in queues, by
 * Little's law), log2(window / window before). For the flow: log2(greatest product so far /
 * window), log2(greatest product of the last RECENT intervals / window), log2(window in segments),
 * log2(minimum round trip time in ms), log2(1 + seconds since the first interval). Intervals before
 * the first one are zeros.
 */
class FlowHistory
{
  public:
    static constexpr std::size_t INTERVALS = 4;    //!< Intervals in an observation
    static constexpr std::size_t PER_INTERVAL = 7; //!< Numbers of an interval
    static constexpr std::size_t OF_FLOW = 5;      //!< Numbers of the flow
    static constexpr std::size_t RECENT = 10;      //!< Intervals of the recent maximum

    /**
     * Add an interval.
     *
     * @param sample Sample of the monitor interval that has ended.
     * @return the observation, within the bounds
     */
    std::vector<float> Make(const FlowSample& sample);

    /**
     * @return lower bounds
     */
    static const std::vector<float>& GetLow();

    /**
     * @return upper bounds
     */
    static const std::vector<float>& GetHigh();

    /**
     * @return names of the numbers
     */
    static const std::vector<std::string>& GetNames();

  private:
    std::deque<std::array<double, PER_INTERVAL>> m_intervals; //!< Intervals, newest first
    std::deque<double> m_products;                            //!< Products in bytes, newest first
    double m_greatest{0}; //!< Largest throughput so far, in bit/s
    double m_window{0};   //!< Window of the last interval, in bytes; 0: none
    Time m_sinceStart{};  //!< Length of all intervals
};

} // namespace ns3

#endif // FLOW_HISTORY_H
