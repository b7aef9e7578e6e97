// SPDX-License-Identifier: GPL-2.0-only

#include "fragment-player.h"

#include "bridge-fault.h"
#include "opengym-codec.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using wire::Failure;

/**
 * @param rows Containers of a stack for Python.
 * @param message Empty message to write to; throw BridgeFault when they cannot be stacked.
 */
void
EncodeRows(const std::vector<const OpenGymDataContainer*>& rows, wire::DataContainer& message)
{
    for (const auto* row : rows)
    {
        if (!CanStack(*rows.front(), *row))
        {
            throw BridgeFault("the agents of a fragment need observations and actions of the same "
                              "shape",
                              Failure::CODE_INVALID_POLICY);
        }
    }
    EncodeStack(rows, message);
}

} // namespace

void
FragmentPlayer::Begin(const wire::FragmentOrder& order)
{
    if (!order.runtime().empty())
    {
        setenv("DEFIANCE_ONNXRUNTIME", order.runtime().c_str(), 0);
    }
    try
    {
        if (!order.policy().empty())
        {
            m_policy = std::make_unique<PolicyFile>("the fragment's policy", order.policy());
            m_checked.clear();
        }
    }
    catch (const PolicyFault& fault)
    {
        throw BridgeFault(fault.what(), Failure::CODE_INVALID_POLICY);
    }
    if (!m_policy || order.rounds() == 0)
    {
        throw BridgeFault("Python's reply orders a fragment without a policy or without rounds",
                          Failure::CODE_MALFORMED_MESSAGE);
    }
    m_rounds = order.rounds();
    TakeNoise(order.noise());
}

void
FragmentPlayer::TakeNoise(const wire::Tensor& noise)
{
    const auto size = m_policy->GetNoiseSize();
    const bool isShaped = noise.dtype() == wire::DTYPE_FLOAT32 && noise.shape_size() == 3 &&
                          noise.shape(0) == m_rounds && noise.shape(2) == size;
    m_noise.resize(noise.data().size() / sizeof(float));
    // Division, as a product of received numbers may overflow.
    const auto rows = m_noise.size() / size;
    if (!isShaped || noise.shape(1) == 0 || rows % m_rounds != 0 ||
        rows / m_rounds != noise.shape(1) || noise.data().size() != rows * size * sizeof(float))
    {
        throw BridgeFault("the noise of a fragment is not float32 of " + std::to_string(m_rounds) +
                              " rounds, agents and " + std::to_string(size) +
                              " numbers, which its policy takes",
                          Failure::CODE_INVALID_POLICY);
    }
    m_agents = noise.shape(1);
    std::memcpy(m_noise.data(), noise.data().data(), noise.data().size());
}

bool
FragmentPlayer::Continues(const DecisionRound& round) const
{
    return HasTrajectory() && m_times.size() < m_rounds && round.joined.empty() &&
           round.ended.empty() && round.transfers.empty();
}

std::vector<Ptr<OpenGymDataContainer>>
FragmentPlayer::Decide(const DecisionRound& round)
{
    std::vector<Ptr<OpenGymDataContainer>> actions;
    try
    {
        for (const auto& step : round.steps)
        {
            actions.push_back(Act(step));
            // The application that observes or acts may change its container before the end of the
            // fragment.
            m_recorded.push_back({*step.record->index,
                                  step.observation->Copy(),
                                  step.reward,
                                  actions.back()->Copy()});
        }
    }
    catch (const PolicyFault& fault)
    {
        throw BridgeFault(fault.what(), Failure::CODE_INVALID_POLICY);
    }
    m_times.push_back(round.time);
    m_sizes.push_back(static_cast<uint32_t>(round.steps.size()));
    return actions;
}

Ptr<OpenGymDataContainer>
FragmentPlayer::Act(const AgentStepRecord& step)
{
    const auto& agent = *step.record;
    const auto index = *agent.index;
    if (index >= m_agents)
    {
        throw PolicyFault("there is no noise for " + agent.agent);
    }
    m_checked.resize(std::max<std::size_t>(m_checked.size(), index + 1));
    if (!m_checked[index])
    {
        m_policy->CheckAgent(agent.agent, *agent.observationSpace, *agent.actionSpace);
        m_checked[index] = true;
    }
    const auto size = m_policy->GetNoiseSize();
    const auto* noise = m_noise.data() + (m_times.size() * m_agents + index) * size;
    std::vector<float> state; // empty: the policy of a fragment has no state
    return m_policy->Act(*agent.observationSpace,
                         *agent.actionSpace,
                         *step.observation,
                         state,
                         {noise, size});
}

void
FragmentPlayer::Write(wire::Trajectory& message)
{
    std::vector<const OpenGymDataContainer*> observations;
    std::vector<const OpenGymDataContainer*> actions;
    for (const auto& each : m_recorded)
    {
        message.add_agents(each.agent);
        message.add_rewards(each.reward);
        observations.push_back(PeekPointer(each.observation));
        actions.push_back(PeekPointer(each.action));
    }
    for (const auto& time : m_times)
    {
        message.add_times_ns(time.GetNanoSeconds());
    }
    message.mutable_sizes()->Add(m_sizes.begin(), m_sizes.end());
    EncodeRows(observations, *message.mutable_observations());
    EncodeRows(actions, *message.mutable_actions());
    m_times.clear();
    m_sizes.clear();
    m_recorded.clear();
}

} // namespace ns3
