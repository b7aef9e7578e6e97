// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_STATE_H
#define REPLICA_STATE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief An entry of a replicated log.
 */
struct ReplicaEntry
{
    uint32_t term{0};    //!< In which it was proposed
    uint32_t request{0}; //!< Number of the client's request; 0: none, the protocol's own entry

    bool operator==(const ReplicaEntry&) const = default;
};

/**
 * @brief The whole state of a replica at an instant.
 *
 * Two replicas with equal states do the same from then on, if the same happens to them. Of a
 * stopped replica it is what its stable storage holds.
 */
struct ReplicaState
{
    bool active{true};              //!< Whether it runs
    std::vector<int64_t> values;    //!< What testers see, in the order of the protocol's fields
    std::vector<ReplicaEntry> log;  //!< Its log
    std::vector<int64_t> internals; //!< What else decides what it does: timers, who has answered

    bool operator==(const ReplicaState&) const = default;
};

} // namespace ns3

#endif // REPLICA_STATE_H
