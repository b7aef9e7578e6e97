// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_TYPES_H
#define RAFT_TYPES_H

#include "replica-state.h"
#include "seeded-bug.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief A seeded bug of a Raft replica, for tests to find; docs/reference/seeded-bugs.md has
 * histories that expose these bugs.
 */
enum class RaftBug : uint8_t
{
    NONE = 0,
    FORGETS_BALLOT = 1,          //!< R1: term and vote are lost in a crash
    COUNTS_EARLIER_TERMS = 2,    //!< R2: counting commits an entry of an earlier term
    VOTES_FOR_ANYBODY = 3,       //!< R3: a candidate's log may be behind the voter's
    TAKES_WHAT_DOES_NOT_FIT = 4, //!< R4: the term of the entry before new ones is not compared
    COUNTS_OLD_ANSWERS = 5,      //!< R5: acknowledgements of an earlier term are counted
    CUTS_ITS_LOG = 6,            //!< R6: entries after those of a message are cut off
    NEEDS_LESS_THAN_MOST = 7,    //!< R7: a majority is off by one
    READS_ALONE = 8,             //!< R8: a leader answers reads without the others
    NEVER_WALKS_BACK = 9,        //!< R9: a leader repeats entries that a follower has refused
    IGNORES_HEARTBEATS = 10,     //!< R10: messages of the leader do not reset the election timer
};

inline constexpr SeededBugs<RaftBug> RAFT_BUGS{'R', 10}; //!< R1 to R10

/**
 * @brief The present role of a Raft replica.
 */
enum class RaftRole : uint8_t
{
    FOLLOWER = 0,
    CANDIDATE = 1,
    LEADER = 2,
};

/**
 * @brief A message of Raft (Ongaro, Consensus: Bridging Theory and Practice, 2014, figures 3.1 and
 * 5.3).
 *
 * Remote procedure calls and their results are separate messages, which may be lost, delayed and
 * duplicated independently. INSTALL_SNAPSHOT is answered by an APPEND_RESULT.
 */
struct RaftMessage
{
    /// The type of the message.
    enum Type : uint8_t
    {
        REQUEST_VOTE = 1,
        VOTE = 2,
        APPEND_ENTRIES = 3,
        APPEND_RESULT = 4,
        INSTALL_SNAPSHOT = 5,
    };

    Type type{REQUEST_VOTE}; //!< Type of the message
    uint32_t from{0};        //!< Number of the sending replica
    uint32_t to{0};          //!< Number of the receiving replica
    uint32_t term{0};        //!< Term of the sender
    /// REQUEST_VOTE: of the candidate's last entry; APPEND_ENTRIES: of the entry before the new
    /// ones; INSTALL_SNAPSHOT: of the last entry that the snapshot replaces; APPEND_RESULT: if
    /// accepted, of the last entry known to match, else of one that may match
    uint32_t index{0};
    uint32_t logTerm{0};               //!< Term of the entry at index, in the three requests
    uint32_t commit{0};                //!< APPEND_ENTRIES: index up to which the leader committed
    bool accepted{false};              //!< In both results: whether the request was granted
    uint64_t digest{0};                //!< INSTALL_SNAPSHOT: the snapshot, a hash of its entries
    std::vector<ReplicaEntry> entries; //!< APPEND_ENTRIES: new entries; empty: a heartbeat

    bool operator==(const RaftMessage&) const = default;
};

} // namespace ns3

#endif // RAFT_TYPES_H
