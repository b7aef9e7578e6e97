// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_PROTOCOL_H
#define CANONICAL_PROTOCOL_H

#include "canonical-server.h"
#include "raft-protocol.h"

namespace ns3
{

/**
 * @brief The facts of canonical/raft, the library under dqlite, for testers: its replicas run the
 * library's own code. Fields, guarantees and takers of requests are those of Raft.
 */
class CanonicalProtocol : public ReplicaProtocol
{
  public:
    std::string GetName() const override;
    void Declare(RlSimulation& simulation) override;
    std::string FindContradiction(bool chosen, Time tick) const override;
    std::string GetDefaultPainter() const override;
    ReplicaTraffic GetTraffic() const override;
    Ptr<ReplicaApplication> MakeReplica(Time tick) const override;
    const std::vector<ReplicaField>& GetFields() const override;
    std::vector<uint32_t> FindTakers(const std::vector<ReplicaState>& states) const override;
    int64_t GetProgress(const ReplicaGroup& group) const override;
    bool IsDone(const ReplicaGroup& group) const override;
    std::string FindHealingContradiction(uint32_t replicas,
                                         uint32_t byzantine,
                                         Time tick) const override;
    uint32_t GetHealingTicks(const ReplicaGroup& group, Time tick) const override;
    std::vector<std::string> Check(const ReplicaGroup& group) override;

  private:
    RaftProtocol m_raft;              //!< The common fields
    CanonicalParameters m_parameters; //!< Parameters of the protocol
};

} // namespace ns3

#endif // CANONICAL_PROTOCOL_H
