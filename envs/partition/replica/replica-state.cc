// SPDX-License-Identifier: GPL-2.0-only

#include "replica-state.h"

#include "ns3/hash.h"

#include <array>

namespace ns3
{

uint64_t
Digest(uint64_t digest, const ReplicaEntry& entry)
{
    const std::array<uint64_t, 3> key{digest, entry.term, entry.request};
    return Hash64(reinterpret_cast<const char*>(key.data()), sizeof(key));
}

} // namespace ns3
