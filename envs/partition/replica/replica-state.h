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
    uint32_t term{0};    //!< In which it was proposed, or decided
    uint32_t request{0}; //!< Number of the client's request; 0: none, the protocol's own entry

    bool operator==(const ReplicaEntry&) const = default;
};

/**
 * Extend the hash of a log by an entry.
 *
 * @param digest Hash of all entries before it; of none it is 0.
 * @param entry The entry.
 * @return the hash of all
 */
uint64_t Digest(uint64_t digest, const ReplicaEntry& entry);

/**
 * @param one A log.
 * @param other Another one.
 * @return how many entries at their beginnings are equal
 */
std::size_t CountCommon(const std::vector<ReplicaEntry>& one,
                        const std::vector<ReplicaEntry>& other);

/**
 * @brief The whole state of a replica at an instant.
 *
 * Two replicas with equal states do the same from then on, if the same happens to them. Of a
 * stopped replica it is what its stable storage holds.
 */
struct ReplicaState
{
    bool active{true};             //!< Whether it runs
    bool byzantine{false};         //!< Whether it may do what its protocol forbids
    bool delayed{false};           //!< Whether a tester delays messages for it
    std::vector<int64_t> values;   //!< The observed state, in the order of the protocol's fields
    uint64_t compacted{0};         //!< Entries that a snapshot has replaced, before the log
    uint64_t digest{0};            //!< Hash of those, by Digest()
    std::vector<ReplicaEntry> log; //!< Its log, from after those
    std::vector<int64_t>
        internals; //!< Further state that determines its acts: timers, and received answers

    bool operator==(const ReplicaState&) const = default;
};

/**
 * @brief Something that a replica has done, which its state may not show any more at the end of a
 * tick. The protocol defines the meaning of the numbers.
 */
struct ReplicaEvent
{
    /// A kind that all protocols have: it answers a client. The height is the request, the round
    /// the time in ns, and the value what it answers.
    static constexpr int64_t ANSWERS = 100;

    uint32_t replica{0}; //!< Number of the replica
    int64_t kind{0};     //!< The kind
    int64_t height{0};   //!< Where: term, height
    int64_t round{0};    //!< Where within that
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
        SENT,      //!< It left its sender
        ARRIVED,   //!< It has crossed the network, and is held
        DELIVERED, //!< The replica has seen it
        DROPPED,   //!< It is lost by a partition, a crash or the tester
    };

    Kind kind{SENT};    //!< The fate
    uint32_t from{0};   //!< Number of the sender
    uint32_t to{0};     //!< Number of the receiver
    uint64_t number{0}; //!< Which of the messages of this sender, from 1 on
    int64_t time{0};    //!< When, in ns
    std::string text;   //!< Of SENT: what it says

    bool operator==(const MessageEvent&) const = default;
};

} // namespace ns3

#endif // REPLICA_STATE_H
