// SPDX-License-Identifier: GPL-2.0-only

#ifndef MONITOR_CLOCK_H
#define MONITOR_CLOCK_H

#include "tcp-flow.h"

#include "ns3/nstime.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

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
    void Declare(RlSimulation& simulation)
    {
        simulation.AddChoice("reward",
                             "Reward of agents: competitive, their own trade-off of throughput, "
                             "delay and losses; cooperative, the trade-off of all flows with the "
                             "logarithm of throughput; or a mixture.",
                             kind,
                             {"competitive", "cooperative", "mixed"});
        simulation.AddValue("throughput_weight",
                            "Weight of throughput as a share of capacity.",
                            throughputWeight,
                            0.0,
                            1000.0);
        simulation.AddValue("delay_weight",
                            "Weight of queueing delay as a multiple of the propagation time.",
                            delayWeight,
                            0.0,
                            1000.0);
        simulation.AddValue("loss_weight",
                            "Weight of the share of retransmitted segments.",
                            lossWeight,
                            0.0,
                            1000.0);
        simulation.AddValue("mix",
                            "Share of the cooperative reward in the mixed one.",
                            mix,
                            0.0,
                            1.0);
        simulation.AddChoice("reward_per",
                             "Whether the reward of a monitor interval is multiplied by its length "
                             "in seconds, so that returns are comparable between lengths.",
                             per,
                             {"interval", "second"});
    }

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
    double GetScale(Time duration) const
    {
        return per == "second" ? duration.GetSeconds() : 1;
    }
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
    inline static const Time SHORTEST = MilliSeconds(1); //!< Shortest interval
    static constexpr double LEAST_SHARE = 0.01;          //!< Least counted fair share

    /**
     * @param interval Length of the intervals; 0: a round trip time.
     * @param weights The weights of rewards.
     * @param capacity Capacity of a bottleneck in bit/s.
     * @param others Number of other flows on the link.
     */
    MonitorClock(Time interval, const RewardParameters& weights, double capacity, uint32_t others)
        : m_interval(interval),
          m_weights(weights),
          m_capacity(capacity),
          m_others(others)
    {
    }

    /**
     * Add a flow.
     *
     * @param flow The flow.
     * @param propagation Round trip time without queues.
     */
    void Add(Ptr<TcpFlow> flow, Time propagation)
    {
        const uint32_t number = m_flows.size();
        m_flows.push_back(flow);
        m_propagation.push_back(std::max(propagation.GetSeconds(), 1e-4));
        if (m_interval.IsZero())
        {
            flow->TraceConnectWithoutContext("Joined", Callback<void>([this, number]() {
                                                 ScheduleOne(number);
                                             }));
        }
    }

    /// Begin the episode.
    void Start()
    {
        if (m_interval.IsStrictlyPositive())
        {
            Simulator::Schedule(m_interval, &MonitorClock::Tick, this);
        }
    }

  private:
    /// End the intervals of all flows.
    void Tick()
    {
        Simulator::Schedule(m_interval, &MonitorClock::Tick, this);
        for (const auto& flow : m_flows)
        {
            if (flow->IsActive())
            {
                flow->CloseInterval();
            }
        }
        for (uint32_t i = 0; i < m_flows.size(); i++)
        {
            if (m_flows[i]->IsActive())
            {
                m_flows[i]->Report(GetReward(i));
            }
        }
    }

    /**
     * End the interval of a flow.
     *
     * @param number Number of the flow.
     */
    void TickOne(uint32_t number)
    {
        const auto& flow = m_flows[number];
        if (flow->IsActive())
        {
            flow->CloseInterval();
            flow->Report(GetReward(number));
            ScheduleOne(number);
        }
    }

    /**
     * Begin the interval of a flow.
     *
     * @param number Number of the flow.
     */
    void ScheduleOne(uint32_t number)
    {
        const auto interval = std::max(SHORTEST, m_flows[number]->GetState()->m_srtt.Get());
        Simulator::Schedule(interval, &MonitorClock::TickOne, this, number);
    }

    /**
     * @param number Number of a flow.
     * @return the reward of its last monitor interval
     */
    double GetReward(uint32_t number) const
    {
        return m_weights.GetScale(m_flows[number]->GetSample().duration) * GetRate(number);
    }

    /**
     * @param number Number of a flow.
     * @return the reward of its last monitor interval per unit of time
     */
    double GetRate(uint32_t number) const
    {
        if (m_weights.kind == "cooperative")
        {
            return GetCooperative();
        }
        const auto share = m_flows[number]->GetSample().throughput / m_capacity;
        const auto own = m_weights.throughputWeight * share - GetCost(number);
        if (m_weights.kind == "competitive")
        {
            return own;
        }
        return (1 - m_weights.mix) * own + m_weights.mix * GetCooperative();
    }

    /**
     * @param number Number of a flow.
     * @return its cost of delay and losses
     */
    double GetCost(uint32_t number) const
    {
        const auto& sample = m_flows[number]->GetSample();
        const auto delay = std::max(0.0, sample.rtt.GetSeconds() / m_propagation[number] - 1);
        const auto loss = sample.sent > 0 ? std::min(1.0, sample.retransmitted / sample.sent) : 0;
        return m_weights.delayWeight * delay + m_weights.lossWeight * loss;
    }

    /**
     * @return the common reward of the last monitor intervals of all flows
     */
    double GetCooperative() const
    {
        const auto active = std::count_if(m_flows.begin(), m_flows.end(), [](const auto& flow) {
            return flow->IsActive();
        });
        double sum = 0;
        for (uint32_t i = 0; i < m_flows.size(); i++)
        {
            if (m_flows[i]->IsActive())
            {
                const auto share = m_flows[i]->GetSample().throughput / m_capacity;
                const auto fair = std::max(LEAST_SHARE, (active + m_others) * share);
                sum += m_weights.throughputWeight * std::log(fair) - GetCost(i);
            }
        }
        return sum;
    }

    Time m_interval;                   //!< Length; 0: a round trip time
    const RewardParameters& m_weights; //!< The weights of rewards
    double m_capacity;                 //!< Capacity in bit/s
    uint32_t m_others;                 //!< Number of flows without reward
    std::vector<Ptr<TcpFlow>> m_flows; //!< The measured flows
    std::vector<double> m_propagation; //!< Propagation delay of each, in s
};

} // namespace ns3

#endif // MONITOR_CLOCK_H
