// SPDX-License-Identifier: GPL-2.0-only

#ifndef FLOW_REWARDS_H
#define FLOW_REWARDS_H

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
     * Declare what may be chosen.
     *
     * @param simulation Where.
     */
    void Declare(RlSimulation& simulation);

    std::string kind{"competitive"}; //!< cooperative, competitive, mixed
    double throughputWeight{1};      //!< Of throughput
    double delayWeight{0.5};         //!< Of delay
    double lossWeight{1};            //!< Of losses
    double mix{0.5};                 //!< Share of the cooperative reward in the mixed one
    std::string per{"interval"};     //!< interval, second

    /**
     * @param duration Length of a monitor interval.
     * @return what the reward of the interval is multiplied by
     */
    double GetScale(Time duration) const;
};

/**
 * @brief Rewards of flows that share bottlenecks.
 *
 * A flow is charged d = (mean round trip time) / (propagation time) - 1 and l = (segments sent
 * again) / (segments sent). With x = throughput / capacity the competitive reward is
 * `throughputWeight x - delayWeight d - lossWeight l`, the flow's own. The cooperative one is the
 * same for all: the sum over active flows of
 * `throughputWeight log(max(n x, LEAST_SHARE)) - delayWeight d - lossWeight l`, where n is the
 * number of flows that share, cross traffic included. The mixed one is
 * `(1 - mix) competitive + mix cooperative`. With `per=second` each is multiplied by the length of
 * the interval in seconds.
 */
class FlowRewards
{
  public:
    static constexpr double LEAST_SHARE = 0.01; //!< Of a fair share; less counts as this

    /**
     * @param parameters The weights of rewards.
     * @param capacity Capacity of a bottleneck in bit/s.
     * @param others Number of flows that are not added, and share.
     */
    FlowRewards(const RewardParameters& parameters, double capacity, uint32_t others);

    /**
     * Add a flow.
     *
     * @param flow The flow.
     * @param propagation Time that the links alone take there and back.
     */
    void Add(Ptr<TcpFlow> flow, Time propagation);

    /**
     * @param number Number of a flow.
     * @return what its last monitor interval has earned
     */
    double Get(uint32_t number) const;

  private:
    /**
     * @param number Number of a flow.
     * @return what its last monitor interval has earned, whatever its length
     */
    double GetRate(uint32_t number) const;

    /**
     * @param number Number of a flow.
     * @return what delay and losses cost it
     */
    double GetCost(uint32_t number) const;

    /**
     * @return what the last monitor intervals of all flows have earned
     */
    double GetCooperative() const;

    const RewardParameters& m_parameters; //!< The weights of rewards
    double m_capacity;                    //!< In bit/s
    uint32_t m_others;                    //!< Flows that share, and are not here
    std::vector<Ptr<TcpFlow>> m_flows;    //!< That earn
    std::vector<double> m_propagation;    //!< Of each, in s
};

} // namespace ns3

#endif // FLOW_REWARDS_H
