// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_REPLICA_H
#define RAFT_REPLICA_H

#include "client-operation.h"
#include "core-replica.h"
#include "raft-core.h"
#include "raft-header.h"

#include "ns3/rng-seed-manager.h"

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
    void Recover(Ptr<StableStorage> storage) override
    {
        m_parameters.bug = RAFT_BUGS.Find(GetBug());
        m_parameters.seed = (uint64_t{RngSeedManager::GetSeed()} << 32) ^ RngSeedManager::GetRun();
        Begin(storage, [this](uint32_t term) { Note({.kind = BECAME_LEADER, .height = term}); });
    }

    void Forget() override
    {
        CoreReplica::Forget();
        m_waiting.clear();
    }

    bool OnSubmit(uint32_t request) override
    {
        if (ReadsAlone(request))
        {
            Answer(request, m_disk->GetLog(), m_core->GetCommit());
            return true;
        }
        const bool taken = m_core->Submit(request);
        if (taken && AnswersClients())
        {
            m_waiting.push_back({request, m_core->GetTerm(), m_disk->GetLastIndex()});
            AnswerWaiting();
        }
        return taken;
    }

    void AnswerWaiting() override
    {
        // A former leader does not know whether an entry is committed.
        std::erase_if(m_waiting, [this](const Waiting& waiting) {
            return waiting.term != m_core->GetTerm() || m_core->GetRole() != RaftRole::LEADER;
        });
        while (!m_waiting.empty() && m_waiting.front().index <= m_core->GetCommit())
        {
            const auto& [request, term, index] = m_waiting.front();
            Answer(request, m_disk->GetLog(), index - 1);
            m_waiting.erase(m_waiting.begin());
        }
    }

    ReplicaState DoSnapshot(Ptr<const StableStorage> storage) const override
    {
        const auto stored = DynamicCast<const RaftStorage>(storage);
        const int64_t last = stored->GetLastIndex();
        const int64_t snapshot = stored->GetSnapshotIndex();
        ReplicaState state;
        state.compacted = snapshot;
        state.digest = stored->GetDigest();
        state.log = stored->GetLog();
        if (!m_core)
        {
            state.values = {0, stored->GetTerm(), stored->GetVote(), 0, snapshot, last, snapshot};
            state.internals = {stored->GetSnapshotTerm()};
            return state;
        }
        state.values = {static_cast<int64_t>(m_core->GetRole()),
                        m_core->GetTerm(),
                        m_core->GetVote(),
                        m_core->GetLeader(),
                        m_core->GetCommit(),
                        last,
                        snapshot};
        state.internals = m_core->GetInternals();
        return state;
    }

    /**
     * @param request Number of a request.
     * @return whether the replica answers a read without the others, because of its seeded bug
     */
    bool ReadsAlone(uint32_t request) const
    {
        return AnswersClients() && m_parameters.bug == RaftBug::READS_ALONE &&
               m_core->GetRole() == RaftRole::LEADER &&
               ClientOperation::Of(request).kind == ClientOperation::READ;
    }

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
