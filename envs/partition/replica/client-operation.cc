// SPDX-License-Identifier: GPL-2.0-only

#include "client-operation.h"

#include "replica-protocol.h"

#include "ns3/hash.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

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

void
ClientHistory::Invoke(uint32_t request, int64_t time)
{
    static const char* const kinds[] = {"read", "write", "compare_and_swap"};
    const auto operation = ClientOperation::Of(request);
    std::ostringstream text;
    text << "{\"event\":\"invoked\",\"request\":" << request << ",\"time_ns\":" << time
         << ",\"operation\":\"" << kinds[operation.kind] << "\",\"key\":\""
         << (operation.key == 0 ? "x" : "y") << "\",\"arguments\":[";
    if (operation.kind == ClientOperation::COMPARE_AND_SWAP)
    {
        text << operation.expected << ",";
    }
    if (operation.kind != ClientOperation::READ)
    {
        text << operation.value;
    }
    text << "]}";
    Add(text.str());
    m_waiting.insert(request);
}

void
ClientHistory::TakeAnswers(const ReplicaGroup& group)
{
    for (const auto& event : group.events)
    {
        if (event.kind != ReplicaEvent::ANSWERS || group.states.at(event.replica - 1).byzantine ||
            m_waiting.erase(event.height) == 0)
        {
            continue;
        }
        std::ostringstream text;
        text << "{\"event\":\"responded\",\"request\":" << event.height
             << ",\"time_ns\":" << event.round << ",\"replica\":" << event.replica
             << ",\"result\":" << event.value << "}";
        Add(text.str());
    }
}

std::string
ClientHistory::Take()
{
    return "[" + std::exchange(m_events, "") + "]";
}

} // namespace ns3
