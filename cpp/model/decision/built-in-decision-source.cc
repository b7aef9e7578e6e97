// SPDX-License-Identifier: GPL-2.0-only

#include "decision-source.h"

#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"

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

std::unique_ptr<DecisionSource>
MakeBuiltInDecisionSource(const BridgeOptions& options)
{
    return std::make_unique<BuiltInDecisionSource>(options);
}

} // namespace ns3
