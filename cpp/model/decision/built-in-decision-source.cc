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
 * @param mask A mask, or null.
 * @return the numbers of the allowed actions; none if the mask is not of 8-bit integers
 */
std::vector<int64_t>
ListAllowed(Ptr<OpenGymDataContainer> mask)
{
    std::vector<int64_t> allowed;
    const auto numbers = DynamicCast<OpenGymBoxContainerBase>(mask);
    for (std::size_t i = 0;
         numbers && GetItemSize(numbers->GetDtype()) == 1 && i < numbers->GetSize();
         ++i)
    {
        if (numbers->GetAsDouble(i) != 0)
        {
            allowed.push_back(static_cast<int64_t>(i));
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
    explicit BuiltInDecisionSource(const BridgeOptions& options)
        : m_constant(options.policy == "constant"),
          m_action(options.action),
          // Set at construction: otherwise the object would first use an automatic stream, and
          // later random variables would draw other numbers than with Python attached.
          m_random(CreateObjectWithAttributes<UniformRandomVariable>("Stream",
                                                                     IntegerValue(POLICY_STREAM)))
    {
    }

    Decision Decide(const DecisionRound& round) override
    {
        Decision decision;
        for (const auto& step : round.steps)
        {
            decision.actions.push_back(m_constant ? step.record->actionSpace->Constant(m_action)
                                                  : Draw(step));
        }
        return decision;
    }

  private:
    /**
     * @param step Step of an agent.
     * @return a random action
     */
    Ptr<OpenGymDataContainer> Draw(const AgentStepRecord& step) const
    {
        const auto& space = step.record->actionSpace;
        if (const auto discrete = DynamicCast<OpenGymDiscreteSpace>(space))
        {
            if (const auto allowed = ListAllowed(FindMask(step)); !allowed.empty())
            {
                const auto drawn = allowed[m_random->GetInteger(0, allowed.size() - 1)];
                return MakeDiscreteContainer(discrete->GetStart() + drawn);
            }
        }
        return space->Sample(m_random);
    }

    bool m_constant;                     //!< Whether actions are always the same
    double m_action;                     //!< Actions of the constant policy
    Ptr<UniformRandomVariable> m_random; //!< Source of random actions
};

} // namespace

std::unique_ptr<DecisionSource>
MakeBuiltInDecisionSource(const BridgeOptions& options)
{
    return std::make_unique<BuiltInDecisionSource>(options);
}

} // namespace ns3
