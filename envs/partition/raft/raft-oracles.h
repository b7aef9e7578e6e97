// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_ORACLES_H
#define RAFT_ORACLES_H

#include "raft-replica.h"
#include "replica-protocol.h"
#include "replica-state.h"
#include "violation-log.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Checks Raft's guarantees in the states of all replicas at each instant.
 *
 * | property | holds if |
 * |---|---|
 * | election_safety | no two replicas become leader in one term |
 * | log_matching | logs with an entry of the same index and term are equal up to it |
 * | state_machine_safety | no two replicas commit different entries at one index |
 * | reduced_log | no replica's log becomes shorter than its committed entries |
 * | modified_log | no replica changes an entry that it has committed |
 * | commit_durability | committed entries are in the logs of a majority from then on |
 *
 * (Ongaro 2014, figure 3.2, and further requirements on an implementation's log.)
 *
 * A snapshot represents the entries that were committed at its indices; a snapshot with another
 * hash violates state_machine_safety.
 */
class RaftOracles
{
  public:
    /**
     * Check an instant.
     *
     * @param group All replicas.
     * @return new violations: the property, a colon, and the replicas and entries
     */
    std::vector<std::string> Check(const ReplicaGroup& group)
    {
        CheckElectionSafety(group.events);
        NoteKept(group);
        const bool isWhole =
            std::all_of(group.states.begin(), group.states.end(), [](const ReplicaState& state) {
                return state.compacted == 0;
            });
        const auto expanded = isWhole ? std::vector<ReplicaState>{} : Expand(group.states);
        const auto& states = isWhole ? group.states : expanded;
        CheckLogMatching(states);
        CheckOwnLogs(states);
        CheckStateMachines(states);
        CheckCommitDurability(states);
        return m_violations.Take();
    }

  private:
    /**
     * @param entry An entry.
     * @return the entry as text
     */
    static std::string Name(const ReplicaEntry& entry)
    {
        return "(term " + std::to_string(entry.term) + ", request " +
               std::to_string(entry.request) + ")";
    }

    /**
     * @param log A log.
     * @param index Index of an entry, from 1 on.
     * @return the entry as text
     */
    static std::string NameAt(const std::vector<ReplicaEntry>& log, std::size_t index)
    {
        return index <= log.size() ? Name(log[index - 1]) : "nothing";
    }

    /**
     * @param one A log.
     * @param other Another log.
     * @param equal Known number of equal entries at the beginnings.
     * @return the largest index at which both have an entry of one term; 0: none
     */
    static std::size_t FindLastCommonTerm(const std::vector<ReplicaEntry>& one,
                                          const std::vector<ReplicaEntry>& other,
                                          std::size_t equal)
    {
        auto index = std::min(one.size(), other.size());
        while (index > equal && one[index - 1].term != other[index - 1].term)
        {
            index--;
        }
        return index;
    }

    using Entries = std::vector<ReplicaEntry>; //!< A log, or a part of it

    /**
     * @param states States of all replicas.
     * @return the same states with whole logs, in which entries replace snapshots
     */
    std::vector<ReplicaState> Expand(std::vector<ReplicaState> states)
    {
        for (std::size_t i = 0; i < states.size(); i++)
        {
            auto& state = states[i];
            Entries replaced = m_agreed;
            replaced.resize(state.compacted);
            const bool isKnown = m_known[i].kept > 0 && m_known[i].digest == state.digest;
            m_known[i].digest = state.digest;
            if (!isKnown &&
                state.digest !=
                    std::accumulate(replaced.begin(), replaced.end(), uint64_t{0}, &Digest))
            {
                m_violations.Note("state_machine_safety")
                    << "replica " << i + 1 << " has a snapshot of " << state.compacted
                    << " entries that is not of those which were committed";
            }
            state.log.insert(state.log.begin(), replaced.begin(), replaced.end());
            state.compacted = 0;
        }
        return states;
    }

    /**
     * Record the known entries of whole logs.
     *
     * @param group All replicas.
     */
    void NoteKept(const ReplicaGroup& group)
    {
        const auto count = group.states.size();
        m_known.resize(count);
        for (std::size_t i = 0; i < count; i++)
        {
            const auto compacted = group.states[i].compacted;
            auto& known = m_known[i];
            known.kept = compacted == known.compacted ? compacted + group.CountKept(i) : 0;
            known.applied = std::min(known.applied, known.kept);
            known.held = std::min(known.held, known.kept);
            known.compacted = compacted;
            known.equal.resize(count);
        }
        for (std::size_t i = 0; i < count; i++)
        {
            for (std::size_t j = i + 1; j < count; j++)
            {
                auto& equal = m_known[i].equal[j];
                equal = std::min({equal, m_known[i].kept, m_known[j].kept});
            }
        }
    }

    /// @param events of all
    void CheckElectionSafety(const std::vector<ReplicaEvent>& events)
    {
        for (const auto& event : events)
        {
            if (event.kind != RaftReplica::BECAME_LEADER)
            {
                continue;
            }
            const auto [leader, isNew] = m_leaders.emplace(event.height, event.replica);
            if (!isNew && leader->second != event.replica)
            {
                m_violations.Note("election_safety")
                    << "replicas " << leader->second << " and " << event.replica
                    << " became leader in term " << event.height;
            }
        }
    }

    /// @param states of all
    void CheckLogMatching(const std::vector<ReplicaState>& states)
    {
        for (std::size_t i = 0; i < states.size(); i++)
        {
            for (std::size_t j = i + 1; j < states.size(); j++)
            {
                const auto& one = states[i].log;
                const auto& other = states[j].log;
                auto& equal = m_known[i].equal[j];
                const auto common = FindLastCommonTerm(one, other, equal);
                const auto end = one.begin() + common;
                const auto [mine, theirs] = std::mismatch(one.begin() + std::min(equal, common),
                                                          end,
                                                          other.begin() + std::min(equal, common));
                if (mine == end)
                {
                    equal = std::max(equal, common);
                }
                else
                {
                    const auto index = mine - one.begin() + 1;
                    m_violations.Note("log_matching")
                        << "replicas " << i + 1 << " and " << j + 1 << " have " << Name(*mine)
                        << " and " << Name(*theirs) << " at index " << index
                        << ", but entries of one term at " << common;
                }
            }
        }
    }

    /// @param states of all
    void CheckOwnLogs(const std::vector<ReplicaState>& states)
    {
        for (std::size_t i = 0; i < states.size(); i++)
        {
            const auto& log = states[i].log;
            auto& committed = m_known[i].committed;
            if (log.size() < committed.size())
            {
                m_violations.Note("reduced_log")
                    << "replica " << i + 1 << " has " << log.size()
                    << " entries, and had committed " << committed.size();
            }
            const auto length = std::min(log.size(), committed.size());
            for (std::size_t index = m_known[i].kept + 1; index <= length; index++)
            {
                if (log[index - 1] != committed[index - 1])
                {
                    m_violations.Note("modified_log")
                        << "replica " << i + 1 << " has " << NameAt(log, index) << " at index "
                        << index << ", and had committed " << NameAt(committed, index);
                }
            }
            const std::size_t commit = states[i].values[RaftReplica::COMMIT];
            if (commit > committed.size() && commit <= log.size())
            {
                committed.insert(committed.end(),
                                 log.begin() + committed.size(),
                                 log.begin() + commit);
            }
        }
    }

    /// @param states of all
    void CheckStateMachines(const std::vector<ReplicaState>& states)
    {
        for (std::size_t i = 0; i < states.size(); i++)
        {
            const std::size_t commit = states[i].values[RaftReplica::COMMIT];
            const auto& log = states[i].log;
            if (commit > log.size())
            {
                m_violations.Note("state_machine_safety")
                    << "replica " << i + 1 << " has committed up to index " << commit
                    << ", and has " << log.size() << " entries";
            }
            const auto length = std::min(commit, log.size());
            auto& applied = m_known[i].applied;
            for (std::size_t index = applied + 1; index <= length; index++)
            {
                if (index > m_agreed.size())
                {
                    m_agreed.push_back(log[index - 1]);
                }
                else if (log[index - 1] != m_agreed[index - 1])
                {
                    m_violations.Note("state_machine_safety")
                        << "replica " << i + 1 << " has committed " << NameAt(log, index)
                        << " at index " << index << ", where " << NameAt(m_agreed, index)
                        << " was committed";
                }
            }
            applied = std::max(applied, length);
        }
    }

    /// @param states of all
    void CheckCommitDurability(const std::vector<ReplicaState>& states)
    {
        std::vector<std::size_t> held;
        for (std::size_t i = 0; i < states.size(); i++)
        {
            const auto& log = states[i].log;
            const auto end = std::min(log.size(), m_agreed.size());
            auto& own = m_known[i].held;
            while (own < end && log[own] == m_agreed[own])
            {
                own++;
            }
            held.push_back(own);
        }
        std::sort(held.begin(), held.end(), std::greater{});
        const auto safe = held.empty() ? 0 : held[held.size() / 2]; // entries that a majority has
        for (std::size_t index = safe + 1; index <= m_agreed.size(); index++)
        {
            const auto& entry = m_agreed[index - 1];
            const std::size_t holders =
                std::count_if(states.begin(), states.end(), [&](const ReplicaState& state) {
                    return index <= state.log.size() && state.log[index - 1] == entry;
                });
            if (2 * holders <= states.size())
            {
                m_violations.Note("commit_durability")
                    << Name(entry) << " was committed at index " << index << ", and only "
                    << holders << " of " << states.size() << " replicas have it";
            }
        }
    }

    /// The known log of a replica.
    struct Known
    {
        std::size_t kept{0};            //!< Entries unchanged since the last tick
        uint64_t compacted{0};          //!< Entries replaced by a snapshot
        uint64_t digest{0};             //!< Hash of the compacted entries
        std::size_t applied{0};         //!< Entries compared with m_agreed
        std::size_t held{0};            //!< Entries equal to those of m_agreed
        std::vector<std::size_t> equal; //!< By other replica: number of equal entries
        Entries committed;              //!< Log up to its largest committed index
    };

    std::map<int64_t, uint32_t> m_leaders; //!< Number of the leader by term
    std::vector<Known> m_known;            //!< State by replica
    Entries m_agreed;                      //!< The first committed entry at each index
    ViolationLog m_violations;             //!< The findings
};

} // namespace ns3

#endif // RAFT_ORACLES_H
