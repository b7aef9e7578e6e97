// SPDX-License-Identifier: GPL-2.0-only

#ifndef FRAGMENT_PLAYER_H
#define FRAGMENT_PLAYER_H

#include "bridge-fault.h"
#include "decision-source.h"
#include "opengym-codec.h"
#include "policy-file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @param rows Containers of a stack for Python.
 * @param message Empty message to write to; throw BridgeFault when they cannot be stacked.
 */
inline void
EncodeRows(const std::vector<const OpenGymDataContainer*>& rows,
           defiance::v1::DataContainer& message)
{
    for (const auto* row : rows)
    {
        if (!CanStack(*rows.front(), *row))
        {
            throw BridgeFault(
                "the agents of a fragment need observations and actions of the same shape",
                defiance::v1::Failure::CODE_INVALID_POLICY);
        }
    }
    EncodeStack(rows, message);
}

/**
 * @brief Plays fragments of an episode: a policy decides and records some rounds.
 */
class FragmentPlayer
{
  public:
    /**
     * Begin a fragment; throw BridgeFault on a failure.
     *
     * @param order Python's order.
     */
    void Begin(const defiance::v1::FragmentOrder& order)
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
            throw BridgeFault(fault.what(), defiance::v1::Failure::CODE_INVALID_POLICY);
        }
        if (!m_policy || order.rounds() == 0)
        {
            throw BridgeFault("Python's reply orders a fragment without a policy or without rounds",
                              defiance::v1::Failure::CODE_MALFORMED_MESSAGE);
        }
        m_rounds = order.rounds();
        TakeNoise(order.noise());
    }

    /**
     * @param round Requests of agents, and other news.
     * @return whether the policy decides in this round, too
     */
    bool Continues(const DecisionRound& round) const
    {
        return HasTrajectory() && m_times.size() < m_rounds && round.joined.empty() &&
               round.ended.empty() && round.transfers.empty();
    }

    /**
     * Decide a round, and record it; throw BridgeFault when the policy fails.
     *
     * @param round The agents' observations.
     * @return an action per step of the round
     */
    std::vector<Ptr<OpenGymDataContainer>> Decide(const DecisionRound& round)
    {
        std::vector<Ptr<OpenGymDataContainer>> actions;
        try
        {
            for (const auto& step : round.steps)
            {
                actions.push_back(Act(step));
                // The application that observes or acts may change its container before the end of
                // the fragment.
                m_recorded.push_back({*step.record->index,
                                      step.observation->Copy(),
                                      step.reward,
                                      actions.back()->Copy()});
            }
        }
        catch (const PolicyFault& fault)
        {
            throw BridgeFault(fault.what(), defiance::v1::Failure::CODE_INVALID_POLICY);
        }
        m_times.push_back(round.time);
        m_sizes.push_back(static_cast<uint32_t>(round.steps.size()));
        return actions;
    }

    /**
     * @return whether there are rounds that are not written yet
     */
    bool HasTrajectory() const
    {
        return !m_times.empty();
    }

    /**
     * Write the played rounds, and discard them; the fragment ends.
     *
     * @param message Empty message to write to.
     */
    void Write(defiance::v1::Trajectory& message)
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

  private:
    /**
     * Read the noise of a fragment; throw BridgeFault unless it is enough for the policy.
     *
     * @param noise Python's message.
     */
    void TakeNoise(const defiance::v1::Tensor& noise)
    {
        const auto size = m_policy->GetNoiseSize();
        const bool isShaped = noise.dtype() == defiance::v1::DTYPE_FLOAT32 &&
                              noise.shape_size() == 3 && noise.shape(0) == m_rounds &&
                              noise.shape(2) == size;
        m_noise.resize(noise.data().size() / sizeof(float));
        // Division, as a product of received numbers may overflow.
        const auto rows = m_noise.size() / size;
        if (!isShaped || noise.shape(1) == 0 || rows % m_rounds != 0 ||
            rows / m_rounds != noise.shape(1) || noise.data().size() != rows * size * sizeof(float))
        {
            throw BridgeFault("the noise of a fragment is not float32 of " +
                                  std::to_string(m_rounds) + " rounds, agents and " +
                                  std::to_string(size) + " numbers, which its policy takes",
                              defiance::v1::Failure::CODE_INVALID_POLICY);
        }
        m_agents = noise.shape(1);
        std::memcpy(m_noise.data(), noise.data().data(), noise.data().size());
    }

    /**
     * Let the policy decide for one agent.
     *
     * @param step Request of the agent.
     * @return the action
     */
    Ptr<OpenGymDataContainer> Act(const AgentStepRecord& step)
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

    /** A recorded decision. */
    struct Recorded
    {
        uint32_t agent;                        //!< Index of the agent
        Ptr<OpenGymDataContainer> observation; //!< Copy of the observation
        double reward;                         //!< Reward since the previous step
        Ptr<OpenGymDataContainer> action;      //!< Copy of the action
    };

    std::unique_ptr<PolicyFile> m_policy; //!< The source of decisions; null: no fragment yet
    std::vector<bool> m_checked;          //!< Whether the policy fits each agent
    std::vector<float> m_noise;           //!< Noise of all rounds and agents
    std::size_t m_agents{0};              //!< Agents for which there is noise
    uint64_t m_rounds{0};                 //!< Maximum number of rounds
    std::vector<Time> m_times;            //!< Times of the played rounds
    std::vector<uint32_t> m_sizes;        //!< Number of agents in each round
    std::vector<Recorded> m_recorded;     //!< Recorded decisions
};

} // namespace ns3

#endif // FRAGMENT_PLAYER_H
