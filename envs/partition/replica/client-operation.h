// SPDX-License-Identifier: GPL-2.0-only

#ifndef CLIENT_OPERATION_H
#define CLIENT_OPERATION_H

#include "replica-protocol.h"
#include "replica-state.h"

#include "ns3/hash.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The operation of a client's request: it reads or writes one of two registers, or swaps the
 * value of a register if it is as expected. Registers hold 0 at first.
 *
 * The operation follows from the seed and the request's number, so that messages need only the
 * number. A write writes that number, so that each value shows its origin.
 */
struct ClientOperation
{
    /// The operation.
    enum Kind : uint8_t
    {
        READ,
        WRITE,
        COMPARE_AND_SWAP,
    };

    using Registers = std::map<uint32_t, int64_t>; //!< Values by key

    Kind kind{READ};     //!< The operation
    uint32_t key{0};     //!< Key of the register: 0 or 1
    int64_t expected{0}; //!< Expected value in a swap
    int64_t value{0};    //!< New value

    /**
     * @param request Number of a request, from 1 on.
     * @return the operation
     */
    static ClientOperation Of(uint32_t request)
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

    /**
     * Execute the operation.
     *
     * @param registers Values of the registers.
     * @return the value read, else whether a value was written
     */
    int64_t Apply(Registers& registers) const
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

    /**
     * @param log A log.
     * @param count Number of executed entries, from the first one on.
     * @return the resulting values of the registers
     */
    static Registers Replay(const std::vector<ReplicaEntry>& log, std::size_t count)
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
};

/**
 * @brief The requests and responses of clients: each request has its own client, which accepts the
 * first answer of a replica that is not Byzantine.
 */
class ClientHistory
{
  public:
    /**
     * Record a client's request.
     *
     * @param request Number of the request.
     * @param time Time in ns.
     */
    void Invoke(uint32_t request, int64_t time)
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

    /**
     * Record the answers of replicas.
     *
     * @param group All replicas after a tick.
     */
    void TakeAnswers(const ReplicaGroup& group)
    {
        for (const auto& event : group.events)
        {
            if (event.kind != ReplicaEvent::ANSWERS ||
                group.states.at(event.replica - 1).byzantine || m_waiting.erase(event.height) == 0)
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

    /**
     * @return events since the last call, as JSON: a list of events
     */
    std::string Take()
    {
        return "[" + std::exchange(m_events, "") + "]";
    }

  private:
    /**
     * @param event A new event, as JSON.
     */
    void Add(const std::string& event)
    {
        m_events += (m_events.empty() ? "" : ",") + event;
    }

    std::set<uint32_t> m_waiting; //!< Requests without an answer
    std::string m_events;         //!< New events as JSON, separated by commas
};

} // namespace ns3

#endif // CLIENT_OPERATION_H
