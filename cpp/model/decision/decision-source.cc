// SPDX-License-Identifier: GPL-2.0-only

#include "private/decision-source.h"

#include "fork-server.h"
#include "policy-file.h"
#include "private/python-decision-source.h"
#include "process-copy.h"

#include "ns3/abort.h"
#include "ns3/integer.h"
#include "ns3/object-factory.h"
#include "ns3/opengym-builders.h"
#include "ns3/random-variable-stream.h"

#include <fnmatch.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/**
 * Call a function; on a PolicyFault, report it and end the process.
 *
 * @param action The action.
 */
void
Guard(const std::function<void()>& action)
{
    try
    {
        action();
    }
    catch (const PolicyFault& fault)
    {
        ReportError(fault.what());
        EndProcess(2);
    }
}

/**
 * @brief Policies that were exported to files. An unusable file ends the process.
 */
class PolicyFileDecisionSource : public DecisionSource
{
  public:
    /**
     * Load the files.
     *
     * @param options The files, and their agents.
     */
    explicit PolicyFileDecisionSource(const BridgeOptions& options)
    {
        Guard([&] { Load(options.policy); });
    }

    void Begin(const std::vector<const AgentRecord*>& agents) override
    {
        Guard([&] {
            for (const auto* agent : agents)
            {
                auto& file = FindFile(agent->agent);
                file.CheckAgent(agent->agent, *agent->observationSpace, *agent->actionSpace);
                m_members.push_back({&file, {}});
            }
        });
    }

    Decision Decide(const DecisionRound& round) override
    {
        Begin(round.joined);
        Decision decision;
        Guard([&] {
            for (const auto& step : round.steps)
            {
                auto& [file, state] = m_members[*step.record->index];
                decision.actions.push_back(file->Act(*step.record->observationSpace,
                                                     *step.record->actionSpace,
                                                     *step.observation,
                                                     state));
            }
        });
        return decision;
    }

  private:
    /**
     * @param text A file, or "<pattern>=<file>,...".
     */
    void Load(const std::string& text)
    {
        std::istringstream words(text);
        for (std::string word; std::getline(words, word, ',');)
        {
            const auto sign = word.find('=');
            const auto pattern = sign == std::string::npos ? "*" : word.substr(0, sign);
            const auto path = word.substr(sign == std::string::npos ? 0 : sign + 1);
            const auto file = m_files.try_emplace(path, path).first;
            m_assignments.emplace_back(pattern, &file->second);
        }
    }

    /**
     * @param agent Name of an agent.
     * @return the file of the first matching pattern; throw PolicyFault when there is none
     */
    PolicyFile& FindFile(const std::string& agent)
    {
        for (const auto& [pattern, file] : m_assignments)
        {
            if (fnmatch(pattern.c_str(), agent.c_str(), 0) == 0)
            {
                return *file;
            }
        }
        throw PolicyFault("no policy file is for " + agent +
                          "; 'policy' must name one by its name or by a pattern such as *");
    }

    /** The policy of an agent. */
    struct Member
    {
        PolicyFile* file;         //!< The source of decisions
        std::vector<float> state; //!< State from the last decision for the next
    };

    std::map<std::string, PolicyFile> m_files;                      //!< Files by path
    std::vector<std::pair<std::string, PolicyFile*>> m_assignments; //!< Files by name patterns
    std::vector<Member> m_members;                                  //!< Members by agents' index
};

/**
 * Prepare the shared part of a fork server's simulations for policies. This runs before the
 * construction of the program's static objects, so that it is torn down last: the tear-down of the
 * runtime takes longer than an episode may, and happens after the simulation's own end.
 */
[[gnu::constructor]] void
PrepareForkServer()
{
    if (ForkServer::IsAskedFor())
    {
        PrepareOnnxRuntime(AwaitSingleThread);
    }
}

} // namespace

std::unique_ptr<DecisionSource>
MakeDecisionSource(const BridgeOptions& options)
{
    if (!options.endpoint.empty())
    {
        return std::make_unique<PythonDecisionSource>(options);
    }
    if (options.HasPolicyFiles())
    {
        return std::make_unique<PolicyFileDecisionSource>(options);
    }
    return std::make_unique<BuiltInDecisionSource>(options);
}

void
DecisionSource::Fail(defiance::v1::Failure::Code /* code */, const std::string& fault)
{
    ReportError(fault);
    EndProcess(1);
}

} // namespace ns3
