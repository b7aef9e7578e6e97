// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_MESSAGES_H
#define REPLICA_MESSAGES_H

#include "replica-state.h"

#include "ns3/opengym-dict-container.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What a controller has a replica's node do, in this order: discard, release, stop or
 * start, hand over a request, and let a tick pass.
 */
struct ReplicaCommand
{
    /// What becomes of the process.
    enum Power : uint8_t
    {
        KEEP = 0,
        STOP = 1,
        START = 2,
        RESET = 3, //!< It begins with an empty disk, and its clock stands still for a tick
    };

    uint64_t tick{0};               //!< Number of the tick, which the report is of
    Power power{KEEP};              //!< What becomes of the process
    uint32_t request{0};            //!< Number of a client's request; 0: none
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
 * @brief A message that a replica's interceptor holds, as it is told of.
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
 * @brief What a controller learns of a replica after a tick.
 */
struct ReplicaReport
{
    uint64_t tick{0};                    //!< Number of the tick
    uint32_t replica{0};                 //!< Number of the replica
    ReplicaState state;                  //!< Its state
    std::vector<PendingMessage> pending; //!< What is held for it, the oldest first

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
