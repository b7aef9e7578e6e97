// SPDX-License-Identifier: GPL-2.0-only

#include "client-operation.h"

#include "ns3/hash.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>

namespace ns3
{

ClientOperation
ClientOperation::Of(uint32_t request)
{
    const std::array<uint64_t, 3> seed{RngSeedManager::GetSeed(),
                                       RngSeedManager::GetRun(),
                                       request};
    const auto drawn = Hash64(reinterpret_cast<const char*>(seed.data()), sizeof(seed));
    return {.kind = static_cast<Kind>(drawn % 3),
            .key = static_cast<uint32_t>(drawn / 3 % 2),
            .expected = static_cast<int64_t>(drawn / 6 % request),
            .value = request};
}

int64_t
ClientOperation::Apply(Registers& registers) const
{
    auto& held = registers[key];
    if (kind == READ)
    {
        return held;
    }
    const bool writes = kind == WRITE || held == expected;
    held = writes ? value : held;
    return writes;
}

ClientOperation::Registers
ClientOperation::Replay(const std::vector<ReplicaEntry>& log, std::size_t count)
{
    Registers registers;
    for (std::size_t i = 0; i < std::min(count, log.size()); i++)
    {
        if (log[i].request != 0)
        {
            Of(log[i].request).Apply(registers);
        }
    }
    return registers;
}

} // namespace ns3
