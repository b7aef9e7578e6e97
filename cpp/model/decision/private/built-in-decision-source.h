// SPDX-License-Identifier: GPL-2.0-only

#ifndef BUILT_IN_DECISION_SOURCE_H
#define BUILT_IN_DECISION_SOURCE_H

#include "decision-source.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @brief A policy inside the simulation: random or constant actions.
 *
 * Random actions of a Discrete space respect an `action_mask` of 8-bit integers in the infos or in
 * the observation.
 */
class BuiltInDecisionSource : public DecisionSource
{
  public:
    /**
     * @param options The policy.
     */
    explicit BuiltInDecisionSource(const BridgeOptions& options);

    void Begin(const std::vector<AgentIntroduction>& agents) override;
    Decision Decide(const DecisionRound& round) override;
    void End(const DecisionRound& round) override;

  private:
    /**
     * @param agents Agents to decide for from now on.
     */
    void Introduce(const std::vector<AgentIntroduction>& agents);

    /**
     * @param step Step of an agent.
     * @param space Space of the agent's actions.
     * @return a random action
     */
    Ptr<OpenGymDataContainer> Draw(const AgentStepRecord& step, Ptr<OpenGymSpace> space) const;

    bool m_constant;                               //!< Whether actions are always the same
    double m_action;                               //!< Actions of the constant policy
    Ptr<UniformRandomVariable> m_random;           //!< Source of random actions
    std::vector<Ptr<OpenGymSpace>> m_actionSpaces; //!< Action spaces by the agents' index
};

} // namespace ns3

#endif /* BUILT_IN_DECISION_SOURCE_H */
