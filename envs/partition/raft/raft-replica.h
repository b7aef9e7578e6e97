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
     * @return whether it is a read that is answered without asking the others, by mistake
     */
    bool ReadsAlone(uint32_t request) const;

    /// A request of a client who waits for an answer.
    struct Waiting
    {
        uint32_t request; //!< Its number
        uint32_t term;    //!< In which it was taken
        uint32_t index;   //!< Of its entry
    };

    std::vector<Waiting> m_waiting; //!< Clients, the first one first
};

} // namespace ns3

#endif // RAFT_REPLICA_H
