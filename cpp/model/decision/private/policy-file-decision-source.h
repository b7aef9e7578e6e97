// SPDX-License-Identifier: GPL-2.0-only

#ifndef POLICY_FILE_DECISION_SOURCE_H
#define POLICY_FILE_DECISION_SOURCE_H

#include "decision-source.h"
#include "policy-file.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

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
    explicit PolicyFileDecisionSource(const BridgeOptions& options);

    void Begin(const std::vector<AgentIntroduction>& agents) override;
    Decision Decide(const DecisionRound& round) override;
    void End(const DecisionRound& round) override;

  private:
    /**
     * @param text A file, or "<pattern>=<file>,...".
     */
    void Load(const std::string& text);

    /**
     * Find the policies of agents; throw PolicyFault when there is none.
     *
     * @param agents Agents to decide for from now on.
     */
    void Introduce(const std::vector<AgentIntroduction>& agents);

    /**
     * @param agent Name of an agent.
     * @return the file of the first matching pattern; throw PolicyFault when there is none
     */
    PolicyFile& FindFile(const std::string& agent);

    /** An agent and its policy. */
    struct Member
    {
        AgentIntroduction agent;  //!< The agent
        PolicyFile* file;         //!< The source of decisions
        std::vector<float> state; //!< State from the last decision for the next
    };

    std::map<std::string, PolicyFile> m_files;                      //!< Files by path
    std::vector<std::pair<std::string, PolicyFile*>> m_assignments; //!< Files by name patterns
    std::vector<Member> m_members;                                  //!< Members by agents' index
};

} // namespace ns3

#endif /* POLICY_FILE_DECISION_SOURCE_H */
