// SPDX-License-Identifier: GPL-2.0-only

// What a tester tells of the replicas: observations, infos, and the texts that are hashed.

#include "sha256.h"
#include "tester-agent-app.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param part How many.
 * @param whole Of how many.
 * @return the share; 0 of 0 is 0
 */
float
Share(uint32_t part, uint32_t whole)
{
    return whole == 0 ? 0 : static_cast<float>(part) / whole;
}

/**
 * Add a number, so that no other numbers look the same.
 *
 * @param text Where.
 * @param number The number.
 */
void
Add(std::string& text, int64_t number)
{
    text.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/**
 * Add numbers, and how many there are.
 *
 * @tparam T Type of the numbers.
 * @param text Where.
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

Ptr<OpenGymSpace>
TesterAgentApp::GetObservationSpace()
{
    const auto size = m_parameters.replicas * (m_painter->CountFeatures() + 3) + 4;
    return MakeDictSpace("action_mask",
                         MakeBoxSpace<int8_t>(m_actions->Count(), 0, 1),
                         "observation",
                         MakeBoxSpace<float>(size, 0, 1));
}

Ptr<OpenGymSpace>
TesterAgentApp::GetActionSpace()
{
    return MakeDiscreteSpace(m_actions->Count());
}

std::vector<float>
TesterAgentApp::GetFeatures() const
{
    std::vector<float> features;
    const auto blocks = m_partition->GetBlocks();
    for (uint32_t slot = 0; slot < m_parameters.replicas; slot++)
    {
        const auto& color = m_partition->GetColorAt(slot).features;
        features.insert(features.end(), color.begin(), color.end());
        features.push_back(Share(blocks[slot], m_parameters.replicas));
        features.push_back(m_partition->IsActiveAt(slot));
        features.push_back(0); // nobody is Byzantine
    }
    features.push_back(Share(m_repeats, m_parameters.staySameUpto));
    features.push_back(Share(m_controller->CountPendingRequests(), m_parameters.requests));
    features.push_back(Share(m_parameters.crashLimit - m_crashes, m_parameters.crashLimit));
    features.push_back(Share(m_steps, m_parameters.horizon));
    return features;
}

OpenGymInfo
TesterAgentApp::GetExtraInfo()
{
    if (m_mask.empty())
    {
        return {};
    }
    std::string colors = "[";
    std::string violations;
    for (uint32_t slot = 0; slot < m_parameters.replicas; slot++)
    {
        colors += (slot > 0 ? "," : "") + m_partition->GetColorAt(slot).text;
    }
    for (const auto& violation : m_violations)
    {
        violations += (violations.empty() ? "" : "\n") + violation;
    }
    const auto& slots = m_partition->GetSlots();
    return {
        {"action_mask", MakeBoxContainer(m_mask)},
        {"state_hash", Sha256(GetStateText())},
        {"concrete_hash", m_concreteHash},
        {"colors", colors + "]"},
        {"slots", MakeBoxContainer(std::vector<int32_t>(slots.begin(), slots.end()))},
        {"partition", MakeBoxContainer(m_partition->GetBlocksOfReplicas())},
        {"replicas", GetReplicasText()},
        {"repeat_count", int64_t{m_repeats}},
        {"delivered", int64_t{m_delivered}},
        {"dropped", int64_t{m_dropped}},
        {"pending_messages", static_cast<int64_t>(m_controller->GetPendingMessages().size())},
        {"pending_requests", int64_t{m_controller->CountPendingRequests()}},
        {"remaining_crashes", int64_t{m_parameters.crashLimit - m_crashes}},
        {"violations", violations},
        {"out_of_bounds", int64_t{IsOutOfBounds()}},
        {"virtual_time", Simulator::Now().GetSeconds()},
    };
}

std::string
TesterAgentApp::GetStateText() const
{
    const auto crashes = m_parameters.withCrashes ? m_parameters.crashLimit - m_crashes : 0;
    return "{\"blocks\":" + m_text + ",\"crashes\":" + std::to_string(crashes) +
           ",\"repeats\":" + std::to_string(m_repeats) +
           ",\"requests\":" + std::to_string(m_controller->CountPendingRequests()) + "}";
}

std::string
TesterAgentApp::GetConcreteText() const
{
    std::string text;
    for (const auto& state : m_controller->GetStates())
    {
        Add(text, state.active);
        AddAll(text, state.values);
        AddAll(text, state.internals);
        Add(text, state.log.size());
        for (const auto& [term, request] : state.log)
        {
            Add(text, term);
            Add(text, request);
        }
    }
    const auto pending = m_controller->GetPendingMessages();
    Add(text, pending.size());
    for (const auto& message : pending)
    {
        Add(text, message.from);
        Add(text, message.to);
        Add(text, message.content);
    }
    AddAll(text, m_partition->GetBlocks());
    AddAll(text, m_partition->GetSlots());
    Add(text, m_repeats);
    Add(text, m_crashes);
    Add(text, m_controller->CountPendingRequests());
    return text;
}

std::string
TesterAgentApp::GetReplicasText() const
{
    std::string text = "[";
    const auto& fields = m_protocol->GetFields();
    for (const auto& state : m_controller->GetStates())
    {
        text += text.size() > 1 ? ",{" : "{";
        text += state.active ? "\"active\":true" : "\"active\":false";
        for (std::size_t i = 0; i < fields.size(); i++)
        {
            text += ",\"" + fields[i].name + "\":" + std::to_string(state.values[i]);
        }
        text += ",\"log\":[";
        for (const auto& [term, request] : state.log)
        {
            text += text.back() == '[' ? "[" : ",[";
            text += std::to_string(term) + "," + std::to_string(request) + "]";
        }
        text += "]}";
    }
    return text + "]";
}

} // namespace ns3
