// SPDX-License-Identifier: GPL-2.0-only

#include "client-history.h"

#include "client-operation.h"

#include <sstream>
#include <utility>

namespace ns3
{

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

void
ClientHistory::Add(const std::string& event)
{
    m_events += (m_events.empty() ? "" : ",") + event;
}

} // namespace ns3
