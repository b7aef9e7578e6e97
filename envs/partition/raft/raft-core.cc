// SPDX-License-Identifier: GPL-2.0-only

#include "raft-core.h"

#include "ns3/hash.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <utility>

namespace ns3
{

RaftCore::RaftCore(RaftParameters parameters,
                   Ptr<RaftStorage> storage,
                   Sender send,
                   std::function<void(uint32_t)> lead)
    : m_parameters(parameters),
      m_storage(storage),
      m_send(std::move(send)),
      m_lead(std::move(lead)),
      m_commit(storage->GetSnapshotIndex()),
      m_compactable(m_commit),
      m_next(parameters.replicas, 1),
      m_match(parameters.replicas, 0)
{
    if (Has(RaftBug::FORGETS_BALLOT))
    {
        m_storage->SaveBallot(0, 0);
    }
}

void
RaftCore::Tick()
{
    Compact();
    m_elapsed++;
    if (m_role == RaftRole::LEADER)
    {
        if (m_elapsed >= m_parameters.heartbeatTicks)
        {
            m_elapsed = 0;
            SendEntriesToAll();
        }
    }
    else if (m_elapsed >= GetElectionTimeout())
    {
        Campaign();
    }
}

void
RaftCore::Receive(const RaftMessage& message)
{
    const bool known = message.from >= 1 && message.from <= m_parameters.replicas;
    if (message.to != m_parameters.id || !known || message.from == m_parameters.id)
    {
        return;
    }
    if (message.term > GetTerm())
    {
        Follow(message.term);
        m_leader = 0;
    }
    switch (message.type)
    {
    case RaftMessage::REQUEST_VOTE:
        return OnRequestVote(message);
    case RaftMessage::VOTE:
        return OnVote(message);
    case RaftMessage::APPEND_ENTRIES:
        return OnAppendEntries(message);
    case RaftMessage::APPEND_RESULT:
        return OnAppendResult(message);
    case RaftMessage::INSTALL_SNAPSHOT:
        return OnSnapshot(message);
    }
}

void
RaftCore::Campaign()
{
    m_storage->SaveBallot(GetTerm() + 1, m_parameters.id);
    m_role = RaftRole::CANDIDATE;
    m_leader = 0;
    m_elapsed = 0;
    m_votes = uint64_t{1} << m_parameters.id;
    if (IsMajority(1))
    {
        BecomeLeader();
        return;
    }
    for (uint32_t to = 1; to <= m_parameters.replicas; to++)
    {
        const auto last = m_storage->GetLastIndex();
        Send({.type = RaftMessage::REQUEST_VOTE,
              .to = to,
              .index = last,
              .logTerm = m_storage->GetTermAt(last)});
    }
}

void
RaftCore::Follow(uint32_t term)
{
    if (term > GetTerm())
    {
        m_storage->SaveBallot(term, 0);
    }
    if (m_role == RaftRole::LEADER)
    {
        m_elapsed = 0; // it counted heartbeats until now
    }
    m_role = RaftRole::FOLLOWER;
    m_votes = 0;
    m_next.assign(m_parameters.replicas, 1);
    m_match.assign(m_parameters.replicas, 0);
}

void
RaftCore::OnRequestVote(const RaftMessage& message)
{
    const auto last = m_storage->GetLastIndex();
    const auto mine = std::pair(m_storage->GetTermAt(last), last);
    const bool complete = std::pair(message.logTerm, message.index) >= mine;
    const bool free = GetVote() == 0 || GetVote() == message.from;
    const bool fits = complete || Has(RaftBug::VOTES_FOR_ANYBODY);
    const bool granted = message.term == GetTerm() && free && fits;
    if (granted)
    {
        m_storage->SaveBallot(GetTerm(), message.from);
        m_elapsed = 0;
    }
    Send({.type = RaftMessage::VOTE, .to = message.from, .accepted = granted});
}

void
RaftCore::OnVote(const RaftMessage& message)
{
    if (m_role != RaftRole::CANDIDATE || message.term != GetTerm() || !message.accepted)
    {
        return;
    }
    m_votes |= uint64_t{1} << message.from;
    if (IsMajority(std::popcount(m_votes)))
    {
        BecomeLeader();
    }
}

bool
RaftCore::FollowLeader(const RaftMessage& message)
{
    if (message.term < GetTerm())
    {
        Send({.type = RaftMessage::APPEND_RESULT, .to = message.from});
        return false;
    }
    Follow(message.term);
    m_leader = message.from;
    m_elapsed = Has(RaftBug::IGNORES_HEARTBEATS) ? m_elapsed : 0;
    return true;
}

void
RaftCore::OnAppendEntries(const RaftMessage& message)
{
    if (!FollowLeader(message))
    {
        return;
    }
    RaftMessage result{.type = RaftMessage::APPEND_RESULT, .to = message.from};
    const auto last = m_storage->GetLastIndex();
    // Entries in a snapshot were committed, and so they match.
    const bool matches =
        message.index < m_storage->GetSnapshotIndex() ||
        (message.index <= last && (m_storage->GetTermAt(message.index) == message.logTerm ||
                                   Has(RaftBug::TAKES_WHAT_DOES_NOT_FIT)));
    if (!matches)
    {
        result.index = std::min(message.index - 1, last);
        Send(result);
        return;
    }
    Merge(message);
    const auto matching = message.index + static_cast<uint32_t>(message.entries.size());
    m_commit = std::max(m_commit, std::min(message.commit, matching));
    result.index = matching;
    result.accepted = true;
    Send(result);
}

void
RaftCore::Merge(const RaftMessage& message)
{
    const auto& entries = message.entries;
    const auto snapshot = m_storage->GetSnapshotIndex();
    std::size_t same = snapshot > message.index ? snapshot - message.index : 0;
    while (same < entries.size() &&
           m_storage->GetTermAt(message.index + same + 1) == entries[same].term)
    {
        same++;
    }
    // An existing entry stays, and so do the entries after it: the message may be old.
    const bool cuts = Has(RaftBug::CUTS_ITS_LOG) && same == entries.size();
    if (same < entries.size() || cuts)
    {
        m_storage->SaveLog(message.index + same, {entries.begin() + same, entries.end()});
    }
}

void
RaftCore::OnSnapshot(const RaftMessage& message)
{
    if (!FollowLeader(message))
    {
        return;
    }
    if (message.index > m_commit)
    {
        if (m_storage->GetTermAt(message.index) == message.logTerm)
        {
            m_storage->Compact(message.index); // later entries stay
        }
        else
        {
            m_storage->Install(message.index, message.logTerm, message.digest);
        }
        m_commit = message.index;
    }
    Send({.type = RaftMessage::APPEND_RESULT,
          .to = message.from,
          .index = message.index,
          .accepted = true});
}

void
RaftCore::Compact()
{
    const auto committed = std::exchange(m_compactable, m_commit);
    const auto compactable = std::min(committed, m_storage->GetLastIndex());
    const auto most = m_parameters.compaction;
    if (most > 0 && compactable >= m_storage->GetSnapshotIndex() + most)
    {
        m_storage->Compact(compactable);
    }
}

void
RaftCore::Send(RaftMessage message)
{
    if (message.to != m_parameters.id)
    {
        message.from = m_parameters.id;
        message.term = GetTerm();
        m_send(message);
    }
}

uint32_t
RaftCore::GetElectionTimeout() const
{
    const std::array<uint64_t, 3> key{m_parameters.seed, m_parameters.id, GetTerm()};
    const auto drawn = Hash64(reinterpret_cast<const char*>(key.data()), sizeof(key));
    return m_parameters.electionTicks + drawn % m_parameters.electionTicks;
}

std::vector<int64_t>
RaftCore::GetInternals() const
{
    std::vector<int64_t> internals{m_elapsed,
                                   GetElectionTimeout(),
                                   static_cast<int64_t>(m_votes),
                                   m_compactable,
                                   m_storage->GetSnapshotTerm()};
    internals.insert(internals.end(), m_next.begin(), m_next.end());
    internals.insert(internals.end(), m_match.begin(), m_match.end());
    return internals;
}

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
