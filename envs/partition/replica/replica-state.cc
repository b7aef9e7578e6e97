// SPDX-License-Identifier: GPL-2.0-only

#include "replica-state.h"

#include "ns3/hash.h"

#include <algorithm>
#include <array>

namespace ns3
{

uint64_t
Digest(uint64_t digest, const ReplicaEntry& entry)
{
    const std::array<uint64_t, 3> key{digest, entry.term, entry.request};
    return Hash64(reinterpret_cast<const char*>(key.data()), sizeof(key));
}

std::size_t
CountCommon(const std::vector<ReplicaEntry>& one, const std::vector<ReplicaEntry>& other)
{
    const auto end = one.begin() + std::min(one.size(), other.size());
    return std::mismatch(one.begin(), end, other.begin()).first - one.begin();
}

} // namespace ns3
