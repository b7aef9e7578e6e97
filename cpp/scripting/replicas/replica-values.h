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
 * @return its bytes
 */
nb::bytes ToBytes(Ptr<const Packet> packet);

/**
 * @param answer The result of `submit()`.
 * @return whether the request is taken; raise TypeError if that is not said
 */
bool ToTaken(nb::handle answer);

/**
 * @param state The result of `state()` of a replica.
 * @param fields The types of its values.
 * @param replicas How many replicas there are.
 * @return the state; raise TypeError or ValueError if it does not fit
 */
ReplicaState ToReplicaState(nb::handle state,
                            const std::vector<ReplicaField>& fields,
                            uint32_t replicas);

} // namespace ns3

#endif // REPLICA_VALUES_H
