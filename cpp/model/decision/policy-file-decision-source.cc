// SPDX-License-Identifier: GPL-2.0-only

#include "policy-file-decision-source.h"

#include <fnmatch.h>

#include <functional>
#include <sstream>

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

} // namespace

PolicyFileDecisionSource::PolicyFileDecisionSource(const BridgeOptions& options)
{
    Guard([&] { Load(options.policy); });
}

void
PolicyFileDecisionSource::Load(const std::string& text)
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

void
PolicyFileDecisionSource::Introduce(const std::vector<AgentIntroduction>& agents)
{
    for (const auto& agent : agents)
    {
        auto& file = FindFile(agent.record->agent);
        file.CheckAgent(agent.record->agent, *agent.observationSpace, *agent.actionSpace);
        m_members.push_back({agent, &file, {}});
    }
}

PolicyFile&
PolicyFileDecisionSource::FindFile(const std::string& agent)
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

void
PolicyFileDecisionSource::Begin(const std::vector<AgentIntroduction>& agents)
{
    Guard([&] { Introduce(agents); });
}

Decision
PolicyFileDecisionSource::Decide(const DecisionRound& round)
{
    Decision decision;
    Guard([&] {
        Introduce(round.joined);
        for (const auto& step : round.steps)
        {
            auto& [agent, file, state] = m_members[*step.record->index];
            decision.actions.push_back(
                file->Act(*agent.observationSpace, *agent.actionSpace, *step.observation, state));
        }
    });
    return decision;
}

void
PolicyFileDecisionSource::End(const DecisionRound& round)
{
}

} // namespace ns3
