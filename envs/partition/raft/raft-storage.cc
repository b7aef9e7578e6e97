// SPDX-License-Identifier: GPL-2.0-only

#include "raft-storage.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RaftStorage);

TypeId
RaftStorage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RaftStorage")
                            .SetParent<StableStorage>()
                            .SetGroupName("defiance")
                            .AddConstructor<RaftStorage>();
    return tid;
}

void
RaftStorage::Erase()
{
    SaveBallot(0, 0);
    m_log.clear();
}

void
RaftStorage::SaveBallot(uint32_t term, uint32_t vote)
{
    m_term = term;
    m_vote = vote;
}

void
RaftStorage::SaveLog(std::size_t kept, const std::vector<ReplicaEntry>& entries)
{
    m_log.resize(kept);
    m_log.insert(m_log.end(), entries.begin(), entries.end());
}

uint32_t
RaftStorage::GetTerm() const
{
    return m_term;
}

uint32_t
RaftStorage::GetVote() const
{
    return m_vote;
}

const std::vector<ReplicaEntry>&
RaftStorage::GetLog() const
{
    return m_log;
}

} // namespace ns3
