// SPDX-License-Identifier: GPL-2.0-only

// The leader's part of a Raft replica.

#include "raft-core.h"

#include <algorithm>
#include <functional>

namespace ns3
{

bool
RaftCore::Submit(uint32_t request)
{
    if (m_role != RaftRole::LEADER)
    {
        return false;
    }
    Append(request);
    return true;
}

void
RaftCore::BecomeLeader()
{
    m_role = RaftRole::LEADER;
    m_leader = m_parameters.id;
    m_elapsed = 0;
    const auto last = m_storage->GetLastIndex();
    m_next.assign(m_parameters.replicas, last + 1);
    m_match.assign(m_parameters.replicas, 0);
    m_match[m_parameters.id - 1] = last;
    m_lead(GetTerm());
    // With its own entry, entries of earlier terms are never counted alone.
    if (m_parameters.noOp && !Has(RaftBug::COUNTS_EARLIER_TERMS))
    {
        Append(0);
    }
    else
    {
        SendEntriesToAll();
    }
}

void
RaftCore::OnAppendResult(const RaftMessage& message)
{
    const bool counts = message.term == GetTerm() || Has(RaftBug::COUNTS_OLD_ANSWERS);
    if (m_role != RaftRole::LEADER || !counts)
    {
        return;
    }
    auto& next = m_next[message.from - 1];
    auto& match = m_match[message.from - 1];
    if (message.accepted)
    {
        match = std::max(match, std::min(message.index, m_storage->GetLastIndex()));
        next = match + 1;
        AdvanceCommit();
        if (match < m_storage->GetLastIndex())
        {
            SendEntries(message.from);
        }
    }
    else if (message.index + 1 < next && !Has(RaftBug::NEVER_WALKS_BACK))
    {
        next = std::max(match, message.index) + 1;
        SendEntries(message.from);
    }
}

void
RaftCore::Append(uint32_t request)
{
    m_storage->SaveLog(m_storage->GetLastIndex(), {{.term = GetTerm(), .request = request}});
    m_match[m_parameters.id - 1] = m_storage->GetLastIndex();
    AdvanceCommit();
    SendEntriesToAll();
}

void
RaftCore::AdvanceCommit()
{
    auto sorted = m_match;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    // A majority has this entry.
    const auto index = sorted[sorted.size() / 2 - Has(RaftBug::NEEDS_LESS_THAN_MOST)];
    const bool counts =
        m_storage->GetTermAt(index) == GetTerm() || Has(RaftBug::COUNTS_EARLIER_TERMS);
    if (index > m_commit && counts)
    {
        m_commit = index;
    }
}

void
RaftCore::SendEntriesToAll()
{
    for (uint32_t to = 1; to <= m_parameters.replicas; to++)
    {
        SendEntries(to);
    }
}

void
RaftCore::SendEntries(uint32_t to)
{
    const auto before = m_next[to - 1] - 1;
    const auto snapshot = m_storage->GetSnapshotIndex();
    if (before < snapshot)
    {
        Send({.type = RaftMessage::INSTALL_SNAPSHOT,
              .to = to,
              .index = snapshot,
              .logTerm = m_storage->GetSnapshotTerm(),
              .digest = m_storage->GetDigest()});
        return;
    }
    const auto& log = m_storage->GetLog();
    const auto begin = log.begin() + (before - snapshot);
    const auto count = std::min<std::ptrdiff_t>(log.end() - begin, m_parameters.mostEntries);
    Send({.type = RaftMessage::APPEND_ENTRIES,
          .to = to,
          .index = before,
          .logTerm = m_storage->GetTermAt(before),
          .commit = m_commit,
          .entries = {begin, begin + count}});
}

} // namespace ns3
