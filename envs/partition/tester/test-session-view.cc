// SPDX-License-Identifier: GPL-2.0-only

// The properties of a test session that its players read, and the texts of its state to hash.

#include "test-session.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * Add a number in an unambiguous form.
 *
 * @param text Text to extend.
 * @param number The number.
 */
void
Add(std::string& text, int64_t number)
{
    text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/**
 * Add numbers after their count.
 *
 * @tparam T Type of the numbers.
 * @param text Text to extend.
 * @param numbers The numbers.
 */
template <typename T>
void
AddAll(std::string& text, const std::vector<T>& numbers)
{
    Add(text, numbers.size());
    for (const auto number : numbers)
    {
        Add(text, number);
    }
}

} // namespace

bool
TestSession::IsOutOfBounds() const
{
    return std::any_of(m_states.begin(), m_states.end(), [this](const ReplicaState& state) {
        return std::any_of(m_boundary.begin(), m_boundary.end(), [&](const auto& bound) {
            return state.values[bound.first] > bound.second;
        });
    });
}

TesterCounts
TestSession::GetCounts() const
{
    return {.crashes = m_crashes,
            .byzantine = m_byzantine,
            .canRequest = !m_requests && m_controller.CanDeliverRequest(),
            .mustHeal = m_mustHeal};
}

std::string
TestSession::GetStateText() const
{
    const auto blocks = m_turn == 0 ? m_look : m_partition.GetText();
    auto text = "{\"blocks\":" + blocks + ",\"crashes\":" + std::to_string(CountCrashesLeft());
    if (m_parameters.withByzantine)
    {
        text += ",\"byzantine\":" + std::to_string(CountByzantineLeft());
    }
    if (m_mustHeal)
    {
        text += ",\"must_heal\":true";
    }
    return text + ",\"repeats\":" + std::to_string(m_repeats) +
           ",\"requests\":" + std::to_string(m_controller.CountPendingRequests()) + "}";
}

std::string
TestSession::GetConcreteText() const
{
    std::string text;
    for (const auto& state : m_states)
    {
        Add(text, state.active);
        Add(text, state.byzantine);
        Add(text, state.compacted);
        Add(text, state.digest);
        AddAll(text, state.values);
        AddAll(text, state.internals);
        Add(text, state.log.size());
        if (m_parameters.ClocksJump())
        {
            Add(text, state.clockError);
        }
    }
    for (uint32_t id = 1; id <= m_states.size(); id++)
    {
        Add(text, m_controller.GetLogDigest(id)); // a log grows without bound
    }
    const auto& pending = m_controller.GetPendingMessages();
    Add(text, pending.size());
    for (const auto& message : pending)
    {
        Add(text, message.from);
        Add(text, message.to);
        Add(text, message.content);
        if (m_parameters.withDelays)
        {
            Add(text, m_delays.Delays(message));
        }
    }
    AddAll(text, m_partition.GetBlocks());
    AddAll(text, m_partition.GetSlots());
    for (uint32_t id = 1; id <= m_states.size() && m_parameters.CrashesAnywhere(); id++)
    {
        if (!m_partition.IsActive(id))
        {
            AddAll(text, m_partition.FindApart(id)); // its last messages pass in a block
        }
    }
    Add(text, m_repeats);
    Add(text, m_crashes);
    Add(text, m_byzantine);
    Add(text, m_controller.CountPendingRequests());
    Add(text, m_turn);
    Add(text, m_requests);
    if (m_parameters.Heals())
    {
        Add(text, m_controller.GetGroup().requests);
        Add(text, m_mustHeal);
    }
    return text;
}

} // namespace ns3
