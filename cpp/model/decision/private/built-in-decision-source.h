// SPDX-License-Identifier: GPL-2.0-only

#ifndef BUILT_IN_DECISION_SOURCE_H
#define BUILT_IN_DECISION_SOURCE_H

#include "decision-source.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @brief A policy inside the simulation: random actions, or always the same.
 *
 * Random actions of a Discrete space are drawn from those that an `action_mask` of 8-bit integers
 * allows, in the infos or in the observation.
 */
class BuiltInDecisionSource : public DecisionSource
{
  public:
    /**
     * @param options Which policy.
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
     * @param step An agent that asks.
     * @param space Space of its actions.
     * @return a random action
     */
    Ptr<OpenGymDataContainer> Draw(const AgentStepRecord& step, Ptr<OpenGymSpace> space) const;

    bool m_constant;                               //!< Whether actions are always the same
    double m_action;                               //!< Their actions then
    Ptr<UniformRandomVariable> m_random;           //!< Source of random actions
    std::vector<Ptr<OpenGymSpace>> m_actionSpaces; //!< By the agents' index
};

} // namespace ns3

#endif /* BUILT_IN_DECISION_SOURCE_H */
