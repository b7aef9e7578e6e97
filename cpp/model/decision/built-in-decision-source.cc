// SPDX-License-Identifier: GPL-2.0-only

#include "built-in-decision-source.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"

namespace ns3
{

namespace
{

/** Stream of the random policy; far from those that scenarios number by hand. */
constexpr int64_t POLICY_STREAM = 0x0DEF1A9CE0000000;

} // namespace

BuiltInDecisionSource::BuiltInDecisionSource(const BridgeOptions& options)
    : m_constant(options.policy == "constant"),
      m_action(options.action),
      // Set at construction: otherwise the object would first take one of the automatic streams,
      // and each random variable made after it would draw other numbers than with Python attached.
      m_random(
          CreateObjectWithAttributes<UniformRandomVariable>("Stream", IntegerValue(POLICY_STREAM)))
{
}

void
BuiltInDecisionSource::Introduce(const std::vector<AgentIntroduction>& agents)
{
    for (const auto& agent : agents)
    {
        m_actionSpaces.push_back(agent.actionSpace);
    }
}

void
BuiltInDecisionSource::Begin(const std::vector<AgentIntroduction>& agents)
{
    Introduce(agents);
}

Decision
BuiltInDecisionSource::Decide(const DecisionRound& round)
{
    Introduce(round.joined);
    Decision decision;
    for (const auto& step : round.steps)
    {
        const auto& space = m_actionSpaces[*step.record->index];
        decision.actions.push_back(m_constant ? space->Constant(m_action)
                                              : space->Sample(m_random));
    }
    return decision;
}

void
BuiltInDecisionSource::End(const DecisionRound& round)
{
}

} // namespace ns3
