// SPDX-License-Identifier: GPL-2.0-only

#include "built-in-decision-source.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/opengym-discrete-space.h"

#include <string>
#include <variant>

namespace ns3
{

namespace
{

/** Stream of the random policy; far from the scenarios' own streams. */
constexpr int64_t POLICY_STREAM = 0x0DEF1A9CE0000000;

const std::string MASK = "action_mask"; //!< Name of a mask, in observations and infos

/**
 * @tparam T Type of the numbers of a mask.
 * @param mask A mask, or null.
 * @return the numbers of the allowed actions; none if the mask has other values
 */
template <typename T>
std::vector<int64_t>
ListAllowed(Ptr<OpenGymDataContainer> mask)
{
    std::vector<int64_t> allowed;
    if (const auto numbers = DynamicCast<OpenGymBoxContainer<T>>(mask))
    {
        for (std::size_t i = 0; i < numbers->GetData().size(); i++)
        {
            if (numbers->GetData()[i] != 0)
            {
                allowed.push_back(i);
            }
        }
    }
    return allowed;
}

/**
 * @param step Request of an agent.
 * @return the mask of its actions, from its infos or its observation; null: no mask
 */
Ptr<OpenGymDataContainer>
FindMask(const AgentStepRecord& step)
{
    if (const auto found = step.info.find(MASK); found != step.info.end())
    {
        const auto mask = std::get_if<Ptr<OpenGymBoxContainerBase>>(&found->second);
        return mask ? *mask : nullptr;
    }
    const auto parts = DynamicCast<OpenGymDictContainer>(step.observation);
    return parts ? parts->Get(MASK) : nullptr;
}

} // namespace

BuiltInDecisionSource::BuiltInDecisionSource(const BridgeOptions& options)
    : m_constant(options.policy == "constant"),
      m_action(options.action),
      // Set at construction: otherwise the object would first use an automatic stream, and later
      // random variables would draw other numbers than with Python attached.
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
        decision.actions.push_back(m_constant ? space->Constant(m_action) : Draw(step, space));
    }
    return decision;
}

Ptr<OpenGymDataContainer>
BuiltInDecisionSource::Draw(const AgentStepRecord& step, Ptr<OpenGymSpace> space) const
{
    if (const auto discrete = DynamicCast<OpenGymDiscreteSpace>(space))
    {
        const auto mask = FindMask(step);
        for (const auto& allowed : {ListAllowed<int8_t>(mask), ListAllowed<uint8_t>(mask)})
        {
            if (!allowed.empty())
            {
                const auto drawn = allowed[m_random->GetInteger(0, allowed.size() - 1)];
                return MakeDiscreteContainer(discrete->GetStart() + drawn);
            }
        }
    }
    return space->Sample(m_random);
}

void
BuiltInDecisionSource::End(const DecisionRound& round)
{
}

} // namespace ns3
