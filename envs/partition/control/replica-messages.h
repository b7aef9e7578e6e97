// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_MESSAGES_H
#define REPLICA_MESSAGES_H

#include "replica-state.h"

#include "ns3/opengym-dict-container.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The orders of a controller for a replica's node, in this sequence: hand over a request,
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
        RESET = 3,     //!< It begins with an empty disk, and its clock stands still for a tick
        BYZANTINE = 4, //!< It does what its protocol forbids from now on
        HEAL = 5,      //!< It runs, and until the next command nothing is left to chance: what it
                       //!< sends and receives is not lost, late or repeated
    };

    uint64_t tick{0};               //!< Number of the tick, which the report is of
    Power power{KEEP};              //!< The change of the process
    uint32_t request{0};            //!< Number of a client's request; 0: none
    bool cuts{false};               //!< Whether `cut` takes the place of what it was
    std::vector<uint32_t> cut;      //!< Numbers of replicas whose messages are lost on arrival
    std::vector<uint64_t> dropped;  //!< Numbers of messages to discard
    std::vector<uint64_t> released; //!< Numbers of messages to release, in this order

    /**
     * @return it, as a message to an action application
     */
    Ptr<OpenGymDictContainer> Encode() const;

    /**
     * @param message A message that Encode() made.
     * @return what it says
     */
    static ReplicaCommand Decode(Ptr<OpenGymDictContainer> message);

    bool operator==(const ReplicaCommand&) const = default;
};

/**
 * @brief A message that a replica's interceptor holds, as it is reported.
 */
struct PendingMessage
{
    uint64_t number{0};  //!< Which tells it from others at this replica
    uint32_t from{0};    //!< Number of the replica that sent it
    uint32_t to{0};      //!< Number of the replica that it is for
    int64_t arrived{0};  //!< When, in ns
    uint64_t content{0}; //!< Hash of what it says

    bool operator==(const PendingMessage&) const = default;
};

/**
 * @brief The report of a replica to its controller after a tick.
 */
struct ReplicaReport
{
    uint64_t tick{0};                    //!< Number of the tick
    uint32_t replica{0};                 //!< Number of the replica
    bool refused{false};                 //!< It has not taken the request
    uint32_t delivered{0};               //!< Messages that it has seen in this tick
    uint32_t cut{0};                     //!< Messages that it was cut off from in this tick
    uint64_t kept{0};                    //!< Entries of its log that are as in the last report
    ReplicaState state;                  //!< Its state, with what follows those in its log
    std::vector<PendingMessage> pending; //!< The held messages for it, the oldest first
    std::vector<ReplicaEvent> events;    //!< Its acts in this tick
    std::vector<MessageEvent> messages;  //!< The fates of messages there, if they are recorded
    std::string failure;                 //!< Why it has crashed by itself; empty: it has not

    /**
     * @return it, as a message to an agent
     */
    Ptr<OpenGymDictContainer> Encode() const;

    /**
     * @param message A message that Encode() made.
     * @return what it says
     */
    static ReplicaReport Decode(Ptr<OpenGymDictContainer> message);

    bool operator==(const ReplicaReport&) const = default;
};

} // namespace ns3

#endif // REPLICA_MESSAGES_H
