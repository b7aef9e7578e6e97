// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_REPLICA_H
#define RAFT_REPLICA_H

#include "raft-core.h"
#include "replica-application.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief A replica that keeps its log by Raft; see RaftCore.
 */
class RaftReplica : public ReplicaApplication
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

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    std::string Describe(Ptr<const Packet> packet) const override;

  private:
    void SetElectionTicks(uint32_t ticks);  //!< @param ticks the shortest election timeout
    void SetHeartbeatTicks(uint32_t ticks); //!< @param ticks between two heartbeats
    void SetNoOp(bool noOp);                //!< @param noOp whether leaders begin with an entry
    void SetCompaction(uint32_t entries);   //!< @param entries that are replaced at once, or 0

    void Recover(Ptr<StableStorage> storage) override;
    void Forget() override;
    void OnTick() override;
    bool OnSubmit(uint32_t request) override;
    void OnMessage(uint32_t from, Ptr<const Packet> packet) override;
    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override;
    Ptr<StableStorage> MakeStorage() const override;

    /**
     * @param request Number of a request.
     * @return whether it is a read that is answered without asking the others, by mistake
     */
    bool ReadsAlone(uint32_t request) const;

    void AnswerCommitted(); //!< Answer clients whose requests are committed

    /// A request of a client who waits for an answer.
    struct Waiting
    {
        uint32_t request; //!< Its number
        uint32_t term;    //!< In which it was taken
        uint32_t index;   //!< Of its entry
    };

    std::vector<Waiting> m_waiting; //!< Clients, the first one first
    Ptr<RaftStorage> m_disk;        //!< While the process runs
    std::optional<RaftCore> m_core; //!< While the process runs
    RaftParameters m_parameters;    //!< How it is set up
};

} // namespace ns3

#endif // RAFT_REPLICA_H
