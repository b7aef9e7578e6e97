// SPDX-License-Identifier: GPL-2.0-only

#include "monitor-clock.h"

#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
RewardParameters::Declare(RlSimulation& simulation)
{
    simulation.AddChoice("reward",
                         "Reward of agents: competitive, their own trade-off of throughput, delay "
                         "and losses; cooperative, the trade-off of all flows with the logarithm "
                         "of throughput; or a mixture.",
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
    simulation.AddValue("mix", "Share of the cooperative reward in the mixed one.", mix, 0.0, 1.0);
    simulation.AddChoice("reward_per",
                         "Whether the reward of a monitor interval is multiplied by its length in "
                         "seconds, so that returns are comparable between lengths.",
                         per,
                         {"interval", "second"});
}

double
RewardParameters::GetScale(Time duration) const
{
    return per == "second" ? duration.GetSeconds() : 1;
}

const Time MonitorClock::SHORTEST = MilliSeconds(1);

MonitorClock::MonitorClock(Time interval,
                           const RewardParameters& weights,
                           double capacity,
                           uint32_t others)
    : m_interval(interval),
      m_weights(weights),
      m_capacity(capacity),
      m_others(others)
{
}

void
MonitorClock::Add(Ptr<TcpFlow> flow, Time propagation)
{
    const uint32_t number = m_flows.size();
    m_flows.push_back(flow);
    m_propagation.push_back(std::max(propagation.GetSeconds(), 1e-4));
    if (m_interval.IsZero())
    {
        flow->TraceConnectWithoutContext("Joined",
                                         Callback<void>([this, number]() { ScheduleOne(number); }));
    }
}

void
MonitorClock::Start()
{
    if (m_interval.IsStrictlyPositive())
    {
        Simulator::Schedule(m_interval, &MonitorClock::Tick, this);
    }
}

void
MonitorClock::Tick()
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

void
MonitorClock::TickOne(uint32_t number)
{
    const auto& flow = m_flows[number];
    if (flow->IsActive())
    {
        flow->CloseInterval();
        flow->Report(GetReward(number));
        ScheduleOne(number);
    }
}

void
MonitorClock::ScheduleOne(uint32_t number)
{
    const auto interval = std::max(SHORTEST, m_flows[number]->GetState()->m_srtt.Get());
    Simulator::Schedule(interval, &MonitorClock::TickOne, this, number);
}

double
MonitorClock::GetReward(uint32_t number) const
{
    return m_weights.GetScale(m_flows[number]->GetSample().duration) * GetRate(number);
}

double
MonitorClock::GetRate(uint32_t number) const
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

double
MonitorClock::GetCost(uint32_t number) const
{
    const auto& sample = m_flows[number]->GetSample();
    const auto delay = std::max(0.0, sample.rtt.GetSeconds() / m_propagation[number] - 1);
    const auto loss = sample.sent > 0 ? std::min(1.0, sample.retransmitted / sample.sent) : 0;
    return m_weights.delayWeight * delay + m_weights.lossWeight * loss;
}

double
MonitorClock::GetCooperative() const
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

} // namespace ns3
