// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_REPLICA_H
#define RAFT_REPLICA_H

#include "core-replica.h"
#include "raft-core.h"
#include "raft-header.h"

#include <vector>

namespace ns3
{

/**
 * @brief A replica that keeps its log by Raft; see RaftCore.
 */
class RaftReplica : public CoreReplica<RaftCore, RaftParameters, RaftStorage, RaftHeader>
{
  public:
    /// Positions of ReplicaState::values.
    enum Field : uint8_t
    {
        ROLE,
        TERM,
        VOTE,
        LEADER,
        COMMIT,
        INDEX,
        SNAPSHOT,
    };

    static constexpr int64_t BECAME_LEADER = 1; //!< ReplicaEvent::kind; the height is the term

  private:
    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    bool OnSubmit(uint32_t request) override;
    void AnswerWaiting() override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;

    /**
     * @param request Number of a request.
     * @return whether the replica answers a read without the others, because of its seeded bug
     */
    bool ReadsAlone(uint32_t request) const;

    /// A client's request that waits for an answer.
    struct Waiting
    {
        uint32_t request; //!< Number of the request
        uint32_t term;    //!< Term of its entry
        uint32_t index;   //!< Index of its entry
    };

    std::vector<Waiting> m_waiting; //!< Waiting clients in order
};

} // namespace ns3

#endif // RAFT_REPLICA_H
