// SPDX-License-Identifier: GPL-2.0-only

#ifndef REPLICA_VALUES_H
#define REPLICA_VALUES_H

#include "replica-protocol.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @param packet A message.
 * @return the bytes of the message
 */
nb::bytes ToBytes(Ptr<const Packet> packet);

/**
 * @param answer The result of `submit()`.
 * @return whether the request is taken; raise TypeError if the answer is not a bool
 */
bool ToTaken(nb::handle answer);

/**
 * @param state The result of `state()` of a replica.
 * @param fields The types of the state's values.
 * @param replicas Number of replicas.
 * @return the state; raise TypeError or ValueError if it does not fit
 */
ReplicaState ToReplicaState(nb::handle state,
                            const std::vector<ReplicaField>& fields,
                            uint32_t replicas);

} // namespace ns3

#endif // REPLICA_VALUES_H
