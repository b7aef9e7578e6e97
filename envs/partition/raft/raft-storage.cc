// SPDX-License-Identifier: GPL-2.0-only

#include "raft-storage.h"

#include <numeric>

namespace ns3
{

void
RaftStorage::Erase()
{
    SaveBallot(0, 0);
    Install(0, 0, 0);
}

void
RaftStorage::SaveBallot(uint32_t term, uint32_t vote)
{
    BeforeWrite();
    m_term = term;
    m_vote = vote;
}

void
RaftStorage::SaveLog(uint32_t last, const std::vector<ReplicaEntry>& entries)
{
    if (last < GetLastIndex())
    {
        BeforeWrite();
        m_log.resize(last - m_snapshotIndex);
    }
    for (const auto& entry : entries)
    {
        BeforeWrite();
        m_log.push_back(entry);
    }
}

void
RaftStorage::Compact(uint32_t index)
{
    BeforeWrite();
    m_snapshotTerm = GetTermAt(index);
    const auto end = m_log.begin() + (index - m_snapshotIndex);
    m_digest = std::accumulate(m_log.begin(), end, m_digest, &Digest);
    m_log.erase(m_log.begin(), end);
    m_snapshotIndex = index;
}

void
RaftStorage::Install(uint32_t index, uint32_t term, uint64_t digest)
{
    BeforeWrite();
    m_snapshotIndex = index;
    m_snapshotTerm = term;
    m_digest = digest;
    m_log.clear();
}

uint32_t
RaftStorage::GetTermAt(uint32_t index) const
{
    if (index <= m_snapshotIndex)
    {
        return index == m_snapshotIndex ? m_snapshotTerm : 0;
    }
    return index <= GetLastIndex() ? m_log[index - m_snapshotIndex - 1].term : 0;
}

} // namespace ns3
