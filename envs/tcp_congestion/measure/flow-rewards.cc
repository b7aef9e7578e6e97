// SPDX-License-Identifier: GPL-2.0-only

#include "flow-rewards.h"

#include "ns3/rl-simulation.h"

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

FlowRewards::FlowRewards(const RewardParameters& parameters, double capacity, uint32_t others)
    : m_parameters(parameters),
      m_capacity(capacity),
      m_others(others)
{
}

void
FlowRewards::Add(Ptr<TcpFlow> flow, Time propagation)
{
    m_flows.push_back(flow);
    m_propagation.push_back(std::max(propagation.GetSeconds(), 1e-4));
}

double
FlowRewards::Get(uint32_t number) const
{
    return m_parameters.GetScale(m_flows[number]->GetSample().duration) * GetRate(number);
}

double
FlowRewards::GetRate(uint32_t number) const
{
    if (m_parameters.kind == "cooperative")
    {
        return GetCooperative();
    }
    const auto share = m_flows[number]->GetSample().throughput / m_capacity;
    const auto own = m_parameters.throughputWeight * share - GetCost(number);
    if (m_parameters.kind == "competitive")
    {
        return own;
    }
    return (1 - m_parameters.mix) * own + m_parameters.mix * GetCooperative();
}

double
FlowRewards::GetCost(uint32_t number) const
{
    const auto& sample = m_flows[number]->GetSample();
    const auto delay = std::max(0.0, sample.rtt.GetSeconds() / m_propagation[number] - 1);
    const auto loss = sample.sent > 0 ? std::min(1.0, sample.retransmitted / sample.sent) : 0;
    return m_parameters.delayWeight * delay + m_parameters.lossWeight * loss;
}

double
FlowRewards::GetCooperative() const
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
            sum += m_parameters.throughputWeight * std::log(fair) - GetCost(i);
        }
    }
    return sum;
}

} // namespace ns3
