// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_PROTOCOL_H
#define RAFT_PROTOCOL_H

#include "raft-oracles.h"
#include "replica-protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What a tester has to know of Raft.
 */
class RaftProtocol : public ReplicaProtocol
{
  public:
    std::string GetName() const override;
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction(bool chosen, Time tick) const override;
    std::string GetDefaultPainter() const override;
    std::vector<std::string> GetBugs() const override;
    bool AnswersClients() const override;
    bool IsSeenByClientsAlone(const std::string& bug) const override;
    ReplicaTraffic GetTraffic() const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    const std::vector<ReplicaField>& GetFields() const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    int64_t GetProgress(const ReplicaGroup& group) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::vector<std::string> Check(const ReplicaGroup& group) override;

  private:
    /// Its parameters.
    struct Parameters
    {
        uint32_t electionTicks{16}; //!< An election timeout has so many to twice as many
        uint32_t heartbeatTicks{4}; //!< Ticks between two heartbeats of a leader
        uint32_t compaction{0};     //!< Entries that a snapshot replaces at once; 0: never

        bool operator==(const Parameters&) const = default;
    };

    Parameters m_parameters; //!< Its parameters
    RaftOracles m_oracles;   //!< What may never be
};

} // namespace ns3

#endif // RAFT_PROTOCOL_H
