// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_MESSAGES_H
#define REPLICA_MESSAGES_H

#include "replica-state.h"

#include "ns3/opengym-containers.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief A controller's command for a replica's node, in this order: give the replica a request,
 * cut it off from others, discard, release, change the process, and let a tick pass.
 */
struct ReplicaCommand
{
    /// The change of the process.
    enum Power : uint8_t
    {
        KEEP = 0,
        STOP = 1,
        START = 2,
        RESET = 3,     //!< Start with an empty disk, and skip a tick of the clock
        BYZANTINE = 4, //!< Act against the protocol from now on
        HEAL = 5,      //!< Run, with the right time, and until the next command lose, delay and
                       //!< repeat no messages
        CLOCK = 6,     //!< Set the clock
    };

    uint64_t tick{0};               //!< Number of the tick to report
    Power power{KEEP};              //!< The change of the process
    uint32_t request{0};            //!< Number of a client's request; 0: none
    bool cuts{false};               //!< Whether `cut` replaces the present cut
    std::vector<uint32_t> cut;      //!< Numbers of replicas whose messages are lost on arrival
    std::vector<uint64_t> dropped;  //!< Numbers of messages to discard
    std::vector<uint64_t> released; //!< Numbers of messages to release, in this order
    /// Of STOP: random number that determines the point of the tick at which the process is killed;
    /// 0: before the tick, and its delayed messages are lost. Of CLOCK: error of the clock in ns.
    int64_t detail{0};

    /**
     * @return the command, as a message to an action application
     */
    Ptr<OpenGymDictContainer> Encode() const;

    /**
     * @param message A message from Encode().
     * @return the command
     */
    static ReplicaCommand Decode(Ptr<OpenGymDictContainer> message);

    bool operator==(const ReplicaCommand&) const = default;
};

/**
 * @brief A reported message that a replica's interceptor holds.
 */
struct PendingMessage
{
    uint64_t number{0};  //!< Number, unique at this replica
    uint32_t from{0};    //!< Number of the sending replica
    uint32_t to{0};      //!< Number of the receiving replica
    int64_t arrived{0};  //!< Time of arrival, in ns
    uint64_t content{0}; //!< Hash of the content

    bool operator==(const PendingMessage&) const = default;

    /// @param other another message @return whether this one comes first: the older one, then the
    /// one to the lower number
    bool operator<(const PendingMessage& other) const
    {
        return std::tie(arrived, to, number) < std::tie(other.arrived, other.to, other.number);
    }
};

/**
 * @brief The report of a replica to its controller after a tick.
 */
struct ReplicaReport
{
    uint64_t tick{0};                    //!< Number of the tick
    uint32_t replica{0};                 //!< Number of the replica
    bool refused{false};                 //!< Whether it refused the request
    uint32_t delivered{0};               //!< Messages delivered in this tick
    uint32_t cut{0};                     //!< Messages cut off in this tick
    uint64_t kept{0};                    //!< Log entries unchanged since the last report
    ReplicaState state;                  //!< State, with the log entries after `kept`
    std::vector<PendingMessage> pending; //!< Held messages since the last report, oldest first
    std::vector<ReplicaEvent> events;    //!< Acts of the replica in this tick
    std::vector<MessageEvent> messages;  //!< Fates of messages, if recorded
    std::string failure;                 //!< Reason of a crash by itself; empty: none

    /**
     * @return the report, as a message to an agent
     */
    Ptr<OpenGymDictContainer> Encode() const;

    /**
     * @param message A message from Encode().
     * @return the report
     */
    static ReplicaReport Decode(Ptr<OpenGymDictContainer> message);

    bool operator==(const ReplicaReport&) const = default;
};

} // namespace ns3

#endif // REPLICA_MESSAGES_H
