// SPDX-License-Identifier: GPL-2.0-only

#ifndef RAFT_TYPES_H
#define RAFT_TYPES_H

#include "replica-state.h"

#include <cstdint>
#include <vector>

namespace ns3
{

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
