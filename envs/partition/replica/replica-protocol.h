// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_PROTOCOL_H
#define REPLICA_PROTOCOL_H

#include "replica-application.h"
#include "replica-state.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief One of the values that testers see of a replica.
 */
struct ReplicaField
{
    /// What it counts or names.
    enum Kind : uint8_t
    {
        NUMBER,  //!< A number from 0 on
        CHOICE,  //!< One of a few, from 0 to largest
        REPLICA, //!< The number of a replica, or 0
    };

    std::string name;   //!< As painters call it
    Kind kind{NUMBER};  //!< What it is
    int64_t largest{0}; //!< Of a choice
};

/**
 * @brief What a tester has to know of a protocol: its replicas, what it sees of them, who takes
 * requests of clients, and what may never be.
 */
class ReplicaProtocol
{
  public:
    virtual ~ReplicaProtocol() = default;

    /**
     * @return a new replica
     */
    virtual Ptr<ReplicaApplication> MakeReplica() const = 0;

    /**
     * @return what ReplicaState::values are
     */
    virtual const std::vector<ReplicaField>& GetFields() const = 0;

    /**
     * @param states Of all replicas.
     * @return the number of the replica that takes a client's request now; 0: none does
     */
    virtual uint32_t FindTaker(const std::vector<ReplicaState>& states) const = 0;

    /**
     * Look for violations of what the protocol guarantees. It is called at each tick.
     *
     * @param states Of all replicas.
     * @return new violations: the property, a colon, and which replicas and entries
     */
    virtual std::vector<std::string> Check(const std::vector<ReplicaState>& states) = 0;
};

} // namespace ns3

#endif // REPLICA_PROTOCOL_H
