// SPDX-License-Identifier: GPL-2.0-only

#include "raft-replica.h"

#include "client-operation.h"
#include "raft-header.h"

#include "ns3/boolean.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RaftReplica);

TypeId
RaftReplica::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RaftReplica")
            .SetParent<ReplicaApplication>()
            .SetGroupName("defiance")
            .AddConstructor<RaftReplica>()
            .AddAttribute("ElectionTicks",
                          "An election timeout is drawn from so many ticks to twice as many, "
                          "without the upper end, anew for each term.",
                          UintegerValue(10),
                          MakeUintegerAccessor(&RaftReplica::SetElectionTicks),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HeartbeatTicks",
                          "Ticks between two heartbeats of a leader.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RaftReplica::SetHeartbeatTicks),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("NoOp",
                          "Whether a leader begins its term with an entry of its own, so that "
                          "entries of earlier terms are committed without a new request.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RaftReplica::SetNoOp),
                          MakeBooleanChecker())
            .AddAttribute("Compaction",
                          "A snapshot replaces committed entries when there are so many; 0: logs "
                          "are not compacted.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RaftReplica::SetCompaction),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

void
RaftReplica::SetElectionTicks(uint32_t ticks)
{
    m_parameters.electionTicks = ticks;
}

void
RaftReplica::SetHeartbeatTicks(uint32_t ticks)
{
    m_parameters.heartbeatTicks = ticks;
}

void
RaftReplica::SetNoOp(bool noOp)
{
    m_parameters.noOp = noOp;
}

void
RaftReplica::SetCompaction(uint32_t entries)
{
    m_parameters.compaction = entries;
}

void
RaftReplica::Recover(Ptr<StableStorage> storage)
{
    m_parameters.id = GetId();
    m_parameters.replicas = GetGroupSize();
    m_parameters.bug = RAFT_BUGS.Find<RaftBug>(GetBug());
    m_parameters.seed = (uint64_t{RngSeedManager::GetSeed()} << 32) ^ RngSeedManager::GetRun();
    m_disk = DynamicCast<RaftStorage>(storage);
    m_core.emplace(
        m_parameters,
        m_disk,
        [this](const RaftMessage& message) {
            auto packet = Create<Packet>();
            packet->AddHeader(RaftHeader(message));
            Send(message.to, packet);
        },
        [this](uint32_t term) { Note({.kind = BECAME_LEADER, .height = term}); });
}

void
RaftReplica::Forget()
{
    m_core.reset();
    m_disk = nullptr;
    m_waiting.clear();
}

void
RaftReplica::OnTick()
{
    m_core->Tick();
    AnswerCommitted();
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
        AnswerCommitted();
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
RaftReplica::AnswerCommitted()
{
    // Who no longer leads does not know what has become of an entry.
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

void
RaftReplica::OnMessage(uint32_t from, Ptr<const Packet> packet)
{
    RaftHeader header;
    packet->PeekHeader(header);
    if (header.IsValid() && header.GetMessage().from == from)
    {
        m_core->Receive(header.GetMessage());
        AnswerCommitted();
    }
}

std::string
RaftReplica::Describe(Ptr<const Packet> packet) const
{
    RaftHeader header;
    packet->PeekHeader(header);
    std::ostringstream text;
    header.Print(text);
    return text.str();
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

Ptr<StableStorage>
RaftReplica::MakeStorage() const
{
    return CreateObject<RaftStorage>();
}

} // namespace ns3
