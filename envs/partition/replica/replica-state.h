// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_STATE_H
#define REPLICA_STATE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief An entry of a replicated log.
 */
struct ReplicaEntry
{
    uint32_t term{0};    //!< Term of the proposal or decision
    uint32_t request{0}; //!< Number of the client's request; 0: none, the protocol's own entry

    bool operator==(const ReplicaEntry&) const = default;
};

/**
 * Extend the hash of a log by an entry.
 *
 * @param digest Hash of all entries before it; 0 without entries.
 * @param entry The entry.
 * @return the hash of all entries
 */
uint64_t Digest(uint64_t digest, const ReplicaEntry& entry);

/**
 * @param one A log.
 * @param other Another log.
 * @return number of equal entries at the beginnings
 */
std::size_t CountCommon(const std::vector<ReplicaEntry>& one,
                        const std::vector<ReplicaEntry>& other);

/**
 * @brief The whole state of a replica at an instant.
 *
 * Two replicas with equal states behave equally from then on, given equal inputs. For a stopped
 * replica it is the content of its stable storage.
 */
struct ReplicaState
{
    bool active{true};             //!< Whether the replica runs
    bool byzantine{false};         //!< Whether the replica is Byzantine
    bool delayed{false};           //!< Whether a tester delays messages for the replica
    int64_t clockError{0};         //!< Error of its clock in ns, which a tester has set
    std::vector<int64_t> values;   //!< The observed state, in the order of the protocol's fields
    uint64_t compacted{0};         //!< Entries before the log, replaced by a snapshot
    uint64_t digest{0};            //!< Hash of the compacted entries, by Digest()
    std::vector<ReplicaEntry> log; //!< Log after the compacted entries
    std::vector<int64_t>
        internals; //!< Further state that determines its acts: timers, received answers

    bool operator==(const ReplicaState&) const = default;
};

/**
 * @brief An act of a replica, which its state may not show any more at the end of a tick. The
 * protocol defines the meaning of the numbers.
 */
struct ReplicaEvent
{
    /// A kind that all protocols have: an answer to a client. The height is the request, the round
    /// the time in ns, and the value the answer.
    static constexpr int64_t ANSWERS = 100;

    uint32_t replica{0}; //!< Number of the replica
    int64_t kind{0};     //!< The kind
    int64_t height{0};   //!< Coarse position: term, height
    int64_t round{0};    //!< Position within the height
    int64_t value{0};    //!< The subject

    bool operator==(const ReplicaEvent&) const = default;
};

/**
 * @brief The fate of a message, for observers.
 */
struct MessageEvent
{
    /// The fate.
    enum Kind : uint8_t
    {
        SENT,      //!< The message left its sender
        ARRIVED,   //!< The message arrived and is held
        DELIVERED, //!< The message reached the replica's process
        DROPPED,   //!< A partition, a crash or the tester lost it
    };

    Kind kind{SENT};    //!< The fate
    uint32_t from{0};   //!< Number of the sender
    uint32_t to{0};     //!< Number of the receiver
    uint64_t number{0}; //!< Number among the sender's messages, from 1 on
    int64_t time{0};    //!< Time in ns
    std::string text;   //!< Of SENT: content of the message

    bool operator==(const MessageEvent&) const = default;
};

} // namespace ns3

#endif // REPLICA_STATE_H
