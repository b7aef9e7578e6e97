// SPDX-License-Identifier: GPL-2.0-only

#include "canonical-replica.h"

#include "canonical-format.h"
#include "numbers-header.h"
#include "raft-replica.h"

#include "ns3/rng-seed-manager.h"

namespace ns3
{

void
CanonicalReplica::SetParameters(const CanonicalParameters& parameters)
{
    m_parameters = parameters;
}

std::string
CanonicalReplica::Describe(Ptr<const Packet> packet) const
{
    NumbersHeader header;
    packet->PeekHeader(header);
    return DescribeMessage(header.GetNumbers());
}

void
CanonicalReplica::Recover(Ptr<StableStorage> storage)
{
    m_parameters.id = GetId();
    m_parameters.replicas = GetGroupSize();
    m_parameters.seed = (uint64_t{RngSeedManager::GetSeed()} << 32) ^ RngSeedManager::GetRun();
    m_server =
        std::make_unique<CanonicalServer>(m_parameters,
                                          DynamicCast<CanonicalStorage>(storage),
                                          [this](uint32_t to, std::vector<uint32_t> numbers) {
                                              auto packet = Create<Packet>();
                                              packet->AddHeader(NumbersHeader(std::move(numbers)));
                                              Send(to, packet);
                                          });
}

void
CanonicalReplica::Forget()
{
    m_server.reset();
}

void
CanonicalReplica::OnTick()
{
    m_server->Tick();
    NoteLeadership();
}

bool
CanonicalReplica::OnSubmit(uint32_t request)
{
    return m_server->Submit(request);
}

void
CanonicalReplica::OnMessage(uint32_t from, Ptr<const Packet> packet)
{
    NumbersHeader header;
    packet->PeekHeader(header);
    m_server->Receive(from, header.GetNumbers());
    NoteLeadership();
}

void
CanonicalReplica::NoteLeadership()
{
    const auto term = m_server->Get().current_term;
    if (m_server->Leads() && term != m_ledTerm)
    {
        m_ledTerm = term;
        Note({.kind = RaftReplica::BECAME_LEADER, .height = static_cast<int64_t>(term)});
    }
}

ReplicaState
CanonicalReplica::DoSnapshot(Ptr<const StableStorage> storage) const
{
    const auto stored = DynamicCast<const CanonicalStorage>(storage);
    ReplicaState state;
    state.log = stored->GetLog();
    const auto last = static_cast<int64_t>(state.log.size());
    const auto term = static_cast<int64_t>(stored->term);
    const auto vote = static_cast<int64_t>(stored->vote);
    if (!m_server)
    {
        state.values = {0, term, vote, 0, 0, last, 0};
        return state;
    }
    const auto& raft = m_server->Get();
    state.values = {raft.state - RAFT_FOLLOWER,
                    term,
                    vote,
                    m_server->GetLeader(),
                    static_cast<int64_t>(raft.commit_index),
                    last,
                    0};
    state.internals = m_server->GetInternals();
    return state;
}

Ptr<StableStorage>
CanonicalReplica::MakeStorage() const
{
    return CreateObject<CanonicalStorage>();
}

} // namespace ns3
