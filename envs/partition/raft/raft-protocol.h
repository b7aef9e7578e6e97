// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_PROTOCOL_H
#define RAFT_PROTOCOL_H

#include "raft-core.h"
#include "raft-oracles.h"
#include "raft-replica.h"
#include "standard-protocol.h"

#include "ns3/rl-simulation.h"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The facts of Raft for testers.
 */
class RaftProtocol : public StandardProtocol<RaftParameters, RaftOracles>
{
  public:
    /// Fewest ticks of an election timeout: from a vote to the first message of the leader.
    static constexpr uint32_t LEAST_ELECTION = 3;

    RaftProtocol()
        : StandardProtocol(
              {.name = "raft",
               .parameters = "election_ticks, heartbeat_ticks and compaction",
               .painter = "state,commit,leader,vote,index,term:6,log:6",
               .bugs = RAFT_BUGS.GetNames(),
               // A message with 64 entries, and two others in the same tick.
               .traffic = {.bytes = 552, .datagrams = 3},
               .fields =
                   {
                       {"state", ReplicaField::CHOICE, static_cast<int64_t>(RaftRole::LEADER)},
                       {"term"},
                       {"vote", ReplicaField::REPLICA},
                       {"leader", ReplicaField::REPLICA},
                       {"commit"},
                       {"index"},
                       {"snapshot"},
                   },
               .progress = RaftReplica::COMMIT})
    {
    }

    void Declare(RlSimulation& simulation) override
    {
        simulation.AddValue("election_ticks",
                            "Raft: shortest election timeout in ticks; the timeout of each term is "
                            "drawn from it to twice its length.",
                            m_parameters.electionTicks,
                            1U,
                            10000U);
        simulation.AddValue("heartbeat_ticks",
                            "Raft: ticks between two heartbeats of a leader.",
                            m_parameters.heartbeatTicks,
                            1U,
                            10000U);
        simulation.AddValue("compaction",
                            "Raft: number of committed entries that a snapshot replaces; 0: logs "
                            "are not compacted.",
                            m_parameters.compaction,
                            0U,
                            10000U);
    }

    bool AnswersClients() const override
    {
        return m_parameters.compaction == 0; // entries in a snapshot cannot be replayed
    }

    bool IsSeenByClientsAlone(const std::string& bug) const override
    {
        return RAFT_BUGS.Find(bug) == RaftBug::READS_ALONE;
    }

    Ptr<ReplicaApplication> MakeReplica(Time /* tick */) const override
    {
        auto replica = CreateObject<RaftReplica>();
        replica->SetParameters(m_parameters);
        return replica;
    }

    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override
    {
        std::vector<uint32_t> found;
        int64_t term = 0;
        for (uint32_t id = 1; id <= states.size(); id++)
        {
            const auto& values = states[id - 1].values;
            const bool leads = values[RaftReplica::ROLE] == static_cast<int64_t>(RaftRole::LEADER);
            if (states[id - 1].active && leads && values[RaftReplica::TERM] > term)
            {
                found = {id};
                term = values[RaftReplica::TERM];
            }
        }
        return found;
    }

    bool IsDone(const ReplicaGroup& group) const override
    {
        const auto takers = FindTakers(group.states);
        return !takers.empty() && std::all_of(group.states.begin(),
                                              group.states.end(),
                                              [&](const ReplicaState& state) {
                                                  const auto& leader =
                                                      group.states[takers.front() - 1].values;
                                                  return state.values[RaftReplica::COMMIT] ==
                                                         leader[RaftReplica::INDEX];
                                              });
    }

    std::string FindHealingContradiction(uint32_t /* replicas */,
                                         uint32_t /* byzantine */,
                                         Time /* tick */) const override
    {
        if (m_parameters.electionTicks >= LEAST_ELECTION)
        {
            return "";
        }
        return "election_ticks=" + std::to_string(m_parameters.electionTicks) + " is less than " +
               std::to_string(LEAST_ELECTION) +
               ", and messages take a tick: voters begin elections before their leader reaches "
               "them; give a larger number, or healing=never";
    }

    uint32_t GetHealingTicks(const ReplicaGroup& group, Time /* tick */) const override
    {
        return CountHealingTicks(group, m_parameters.electionTicks, m_parameters.heartbeatTicks);
    }

    /**
     * @param group All replicas.
     * @param election Shortest election timeout in ticks.
     * @param heartbeat Ticks between two heartbeats.
     * @return ticks until a leader remains, and replicates an entry
     */
    static uint32_t CountHealingTicks(const ReplicaGroup& group,
                                      uint32_t election,
                                      uint32_t heartbeat)
    {
        return 2 * MOST_ELECTIONS * election + 4 * heartbeat + group.CountTicksBack();
    }

  private:
    static constexpr uint32_t MOST_ELECTIONS = 20; //!< Elections until a leader remains

    std::string FindFault(Time /* tick */) const override
    {
        std::ostringstream fault;
        if (m_parameters.heartbeatTicks >= m_parameters.electionTicks)
        {
            fault << "heartbeat_ticks=" << m_parameters.heartbeatTicks << " is not less than "
                  << "election_ticks=" << m_parameters.electionTicks
                  << ": no leader could remain leader";
        }
        return fault.str();
    }
};

} // namespace ns3

#endif // RAFT_PROTOCOL_H
