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
    Ptr<ReplicaApplication> MakeReplica() const override;
    const std::vector<ReplicaField>& GetFields() const override;
    uint32_t FindTaker(const std::vector<ReplicaState>& states) const override;
    std::vector<std::string> Check(const std::vector<ReplicaState>& states) override;

    uint32_t electionTicks{16}; //!< An election timeout has so many ticks, or up to twice as many
    uint32_t heartbeatTicks{4}; //!< Ticks between two heartbeats of a leader

  private:
    RaftOracles m_oracles; //!< What may never be
};

} // namespace ns3

#endif // RAFT_PROTOCOL_H
