// SPDX-License-Identifier: GPL-2.0-only

#ifndef MONITOR_CLOCK_H
#define MONITOR_CLOCK_H

#include "tcp-flow.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class RlSimulation;

/**
 * @brief The reward of a monitor interval.
 */
struct RewardParameters
{
    /**
     * Declare the parameters.
     *
     * @param simulation The scenario.
     */
    void Declare(RlSimulation& simulation);

    std::string kind{"competitive"}; //!< Kind: cooperative, competitive, mixed
    double throughputWeight{1};      //!< Weight of throughput
    double delayWeight{0.5};         //!< Weight of delay
    double lossWeight{1};            //!< Weight of losses
    double mix{0.5};                 //!< Share of the cooperative reward in a mixed one
    std::string per{"interval"};     //!< Unit of time: interval, second

    /**
     * @param duration Length of a monitor interval.
     * @return the factor of the interval's reward
     */
    double GetScale(Time duration) const;
};

/**
 * @brief Ends the monitor intervals of flows that share bottlenecks, and lets the flows report them
 * with their rewards.
 *
 * Intervals of fixed length end together, at multiples of the length; all are measured, then all
 * are reported. Otherwise a flow's interval lasts its smoothed round trip time at the beginning,
 * and at least SHORTEST.
 *
 * The cost of a flow uses d = (mean round trip time) / (propagation time) - 1 and l = (segments
 * retransmitted) / (segments sent). With x = throughput / capacity the competitive reward is
 * `throughputWeight x - delayWeight d - lossWeight l` of the flow itself. The cooperative reward is
 * the same for all: the sum over active flows of `throughputWeight log(max(n x, LEAST_SHARE)) -
 * delayWeight d - lossWeight l`, where n is the number of flows on the link, cross traffic
 * included. The mixed reward is `(1 - mix) competitive + mix cooperative`. With `per=second` each
 * reward is multiplied by the length of the interval in seconds.
 */
class MonitorClock
{
  public:
    static const Time SHORTEST;                 //!< Shortest interval
    static constexpr double LEAST_SHARE = 0.01; //!< Least counted fair share

    /**
     * @param interval Length of the intervals; 0: a round trip time.
     * @param weights The weights of rewards.
     * @param capacity Capacity of a bottleneck in bit/s.
     * @param others Number of other flows on the link.
     */
    MonitorClock(Time interval, const RewardParameters& weights, double capacity, uint32_t others);

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

    /**
     * @param number Number of a flow.
     * @return the reward of its last monitor interval
     */
    double GetReward(uint32_t number) const;

    /**
     * @param number Number of a flow.
     * @return the reward of its last monitor interval per unit of time
     */
    double GetRate(uint32_t number) const;

    /**
     * @param number Number of a flow.
     * @return its cost of delay and losses
     */
    double GetCost(uint32_t number) const;

    /**
     * @return the common reward of the last monitor intervals of all flows
     */
    double GetCooperative() const;

    Time m_interval;                   //!< Length; 0: a round trip time
    const RewardParameters& m_weights; //!< The weights of rewards
    double m_capacity;                 //!< Capacity in bit/s
    uint32_t m_others;                 //!< Number of flows without reward
    std::vector<Ptr<TcpFlow>> m_flows; //!< The measured flows
    std::vector<double> m_propagation; //!< Propagation delay of each, in s
};

} // namespace ns3

#endif // MONITOR_CLOCK_H
