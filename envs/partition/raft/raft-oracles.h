// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_ORACLES_H
#define RAFT_ORACLES_H

#include "replica-state.h"
#include "violation-log.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

struct ReplicaGroup;

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
    std::vector<std::string> Check(const ReplicaGroup& group);

  private:
    using Entries = std::vector<ReplicaEntry>; //!< A log, or a part of it

    /**
     * @param states States of all replicas.
     * @return the same states with whole logs, in which entries replace snapshots
     */
    std::vector<ReplicaState> Expand(std::vector<ReplicaState> states);

    /**
     * Record the known entries of whole logs.
     *
     * @param group All replicas.
     */
    void NoteKept(const ReplicaGroup& group);

    void CheckElectionSafety(const std::vector<ReplicaEvent>& events);   //!< @param events of all
    void CheckLogMatching(const std::vector<ReplicaState>& states);      //!< @param states of all
    void CheckOwnLogs(const std::vector<ReplicaState>& states);          //!< @param states of all
    void CheckStateMachines(const std::vector<ReplicaState>& states);    //!< @param states of all
    void CheckCommitDurability(const std::vector<ReplicaState>& states); //!< @param states of all

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
