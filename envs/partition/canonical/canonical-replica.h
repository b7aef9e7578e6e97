// SPDX-License-Identifier: GPL-2.0-only

#ifndef CANONICAL_REPLICA_H
#define CANONICAL_REPLICA_H

#include "canonical-server.h"
#include "replica-application.h"

#include <memory>

namespace ns3
{

/**
 * @brief A replica that runs canonical/raft. Its fields are those of RaftReplica.
 */
class CanonicalReplica : public ReplicaApplication
{
  public:
    /**
     * @param parameters Parameters; the number and the number of replicas are overwritten.
     */
    void SetParameters(const CanonicalParameters& parameters);

    std::string Describe(Ptr<const Packet> packet) const override;

  private:
    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    void OnTick() override;
    bool OnSubmit(uint32_t request) override;
    void OnMessage(uint32_t from, Ptr<const Packet> packet) override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;
    Ptr<StableStorage> MakeStorage() const override;

    void NoteLeadership(); //!< Record leadership, once in a term

    CanonicalParameters m_parameters;          //!< Parameters of the replica
    std::unique_ptr<CanonicalServer> m_server; //!< Server, while the process runs
    uint64_t m_ledTerm{0};                     //!< Last term as leader
};

} // namespace ns3

#endif // CANONICAL_REPLICA_H
