// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_PROTOCOL_H
#define RAFT_PROTOCOL_H

#include "raft-core.h"
#include "raft-oracles.h"
#include "standard-protocol.h"

#include <cstdint>
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

    RaftProtocol();

    void Declare(RlSimulation& simulation) override;
    bool AnswersClients() const override;
    bool IsSeenByClientsAlone(const std::string& bug) const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::string FindHealingContradiction(uint32_t replicas,
                                         uint32_t byzantine,
                                         Time tick) const override;
    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override;

    /**
     * @param group All replicas.
     * @param election Shortest election timeout in ticks.
     * @param heartbeat Ticks between two heartbeats.
     * @return ticks until a leader remains, and replicates an entry
     */
    static uint32_t CountHealingTicks(const ReplicaGroup& group,
                                      uint32_t election,
                                      uint32_t heartbeat);

  private:
    std::string FindFault(Time tick) const override;
};

} // namespace ns3

#endif // RAFT_PROTOCOL_H
