// SPDX-License-Identifier: GPL-2.0-only

#include "decision-source.h"
#include "policy-file.h"

#include <fnmatch.h>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

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

} // namespace

std::unique_ptr<DecisionSource>
MakePolicyFileDecisionSource(const BridgeOptions& options)
{
    return std::make_unique<PolicyFileDecisionSource>(options);
}

} // namespace ns3
