// SPDX-License-Identifier: GPL-2.0-only

#include "raft-oracles.h"

#include "raft-replica.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/**
 * @tparam T Types of the parts.
 * @param parts Parts of a text.
 * @return the text
 */
template <typename... T>
std::string
Tell(const T&... parts)
{
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

/**
 * @param entry An entry.
 * @return it, as text
 */
std::string
Name(const ReplicaEntry& entry)
{
    return Tell("(term ", entry.term, ", request ", entry.request, ")");
}

/**
 * @param log A log.
 * @param index Index of an entry, from 1 on.
 * @return the entry, as text
 */
std::string
NameAt(const std::vector<ReplicaEntry>& log, std::size_t index)
{
    return index <= log.size() ? Name(log[index - 1]) : "nothing";
}

/**
 * @param one A log.
 * @param other Another one.
 * @return the largest index at which both have an entry of one term; 0: there is none
 */
std::size_t
FindLastCommonTerm(const std::vector<ReplicaEntry>& one, const std::vector<ReplicaEntry>& other)
{
    auto index = std::min(one.size(), other.size());
    while (index > 0 && one[index - 1].term != other[index - 1].term)
    {
        index--;
    }
    return index;
}

} // namespace

std::vector<std::string>
RaftOracles::Check(const std::vector<ReplicaState>& states)
{
    m_found.clear();
    m_committed.resize(states.size());
    CheckElectionSafety(states);
    CheckLogMatching(states);
    CheckOwnLogs(states);
    CheckStateMachines(states);
    CheckCommitDurability(states);
    return m_found;
}

void
RaftOracles::CheckElectionSafety(const std::vector<ReplicaState>& states)
{
    for (uint32_t id = 1; id <= states.size(); id++)
    {
        const auto term = states[id - 1].values[RaftReplica::LED_TERM];
        const auto [leader, isNew] = m_leaders.emplace(term, id);
        if (term != 0 && !isNew && leader->second != id)
        {
            Report("election_safety",
                   Tell("replicas ", leader->second, " and ", id, " became leader in term ", term));
        }
    }
}

void
RaftOracles::CheckLogMatching(const std::vector<ReplicaState>& states)
{
    for (std::size_t i = 0; i < states.size(); i++)
    {
        for (std::size_t j = i + 1; j < states.size(); j++)
        {
            const auto& one = states[i].log;
            const auto& other = states[j].log;
            const auto common = FindLastCommonTerm(one, other);
            const auto end = one.begin() + common;
            const auto [mine, theirs] = std::mismatch(one.begin(), end, other.begin());
            if (mine != end)
            {
                const auto index = mine - one.begin() + 1;
                Report("log_matching",
                       Tell("replicas ",
                            i + 1,
                            " and ",
                            j + 1,
                            " have ",
                            Name(*mine),
                            " and ",
                            Name(*theirs),
                            " at index ",
                            index,
                            ", but entries of one term at ",
                            common));
            }
        }
    }
}

void
RaftOracles::CheckOwnLogs(const std::vector<ReplicaState>& states)
{
    for (std::size_t i = 0; i < states.size(); i++)
    {
        const auto& log = states[i].log;
        auto& committed = m_committed[i];
        if (log.size() < committed.size())
        {
            Report("reduced_log",
                   Tell("replica ",
                        i + 1,
                        " has ",
                        log.size(),
                        " entries, and had committed ",
                        committed.size()));
        }
        const auto length = std::min(log.size(), committed.size());
        for (std::size_t index = 1; index <= length; index++)
        {
            if (log[index - 1] != committed[index - 1])
            {
                Report("modified_log",
                       Tell("replica ",
                            i + 1,
                            " has ",
                            NameAt(log, index),
                            " at index ",
                            index,
                            ", and had committed ",
                            NameAt(committed, index)));
            }
        }
        const std::size_t commit = states[i].values[RaftReplica::COMMIT];
        if (commit > committed.size() && commit <= log.size())
        {
            committed.insert(committed.end(), log.begin() + committed.size(), log.begin() + commit);
        }
    }
}

void
RaftOracles::CheckStateMachines(const std::vector<ReplicaState>& states)
{
    for (std::size_t i = 0; i < states.size(); i++)
    {
        const std::size_t commit = states[i].values[RaftReplica::COMMIT];
        const auto& log = states[i].log;
        if (commit > log.size())
        {
            Report("state_machine_safety",
                   Tell("replica ",
                        i + 1,
                        " has committed up to index ",
                        commit,
                        ", and has ",
                        log.size(),
                        " entries"));
        }
        const auto length = std::min(commit, log.size());
        for (std::size_t index = 1; index <= length; index++)
        {
            if (index > m_agreed.size())
            {
                m_agreed.push_back(log[index - 1]);
            }
            else if (log[index - 1] != m_agreed[index - 1])
            {
                Report("state_machine_safety",
                       Tell("replica ",
                            i + 1,
                            " has committed ",
                            NameAt(log, index),
                            " at index ",
                            index,
                            ", where ",
                            NameAt(m_agreed, index),
                            " was committed"));
            }
        }
    }
}

void
RaftOracles::CheckCommitDurability(const std::vector<ReplicaState>& states)
{
    for (std::size_t index = 1; index <= m_agreed.size(); index++)
    {
        const auto& entry = m_agreed[index - 1];
        const std::size_t holders =
            std::count_if(states.begin(), states.end(), [&](const ReplicaState& state) {
                return index <= state.log.size() && state.log[index - 1] == entry;
            });
        if (2 * holders <= states.size())
        {
            Report("commit_durability",
                   Tell(Name(entry),
                        " was committed at index ",
                        index,
                        ", and only ",
                        holders,
                        " of ",
                        states.size(),
                        " replicas have it"));
        }
    }
}

void
RaftOracles::Report(const std::string& property, const std::string& facts)
{
    auto text = property + ": " + facts;
    if (m_told.emplace(text, true).second)
    {
        m_found.push_back(std::move(text));
    }
}

} // namespace ns3
