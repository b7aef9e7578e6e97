// SPDX-License-Identifier: GPL-2.0-only

#include "raft-replica.h"

#include "client-operation.h"

#include "ns3/rng-seed-manager.h"

namespace ns3
{

void
RaftReplica::Recover(Ptr<StableStorage> storage)
{
    m_parameters.bug = RAFT_BUGS.Find(GetBug());
    m_parameters.seed = (uint64_t{RngSeedManager::GetSeed()} << 32) ^ RngSeedManager::GetRun();
    Begin(storage, [this](uint32_t term) { Note({.kind = BECAME_LEADER, .height = term}); });
}

void
RaftReplica::Forget()
{
    CoreReplica::Forget();
    m_waiting.clear();
}

bool
RaftReplica::OnSubmit(uint32_t request)
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

bool
RaftReplica::ReadsAlone(uint32_t request) const
{
    return AnswersClients() && m_parameters.bug == RaftBug::READS_ALONE &&
           m_core->GetRole() == RaftRole::LEADER &&
           ClientOperation::Of(request).kind == ClientOperation::READ;
}

void
RaftReplica::AnswerWaiting()
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

ReplicaState
RaftReplica::DoSnapshot(Ptr<const StableStorage> storage) const
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

} // namespace ns3
