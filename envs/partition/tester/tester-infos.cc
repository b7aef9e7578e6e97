// SPDX-License-Identifier: GPL-2.0-only

// The infos of a tester.

#include "sha256.h"
#include "tester-agent-app.h"

#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/**
 * @param lines Lines.
 * @return the lines as one text
 */
std::string
ToLines(const std::vector<std::string>& lines)
{
    std::string text;
    for (const auto& line : lines)
    {
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
}

} // namespace

const std::string&
LogText::Write(const std::vector<ReplicaEntry>& log)
{
    const auto kept = CountCommon(m_log, log);
    m_ends.resize(kept);
    m_text.resize(kept == 0 ? 0 : m_ends.back());
    for (std::size_t i = kept; i < log.size(); i++)
    {
        m_text += i == 0 ? "[" : ",[";
        m_text += std::to_string(log[i].term) + "," + std::to_string(log[i].request) + "]";
        m_ends.push_back(m_text.size());
    }
    m_log = log;
    return m_text;
}

OpenGymInfo
TesterAgentApp::GetExtraInfo()
{
    if (m_mask.empty())
    {
        return {};
    }
    static const char* const roles[] = {"tester", "client", "crasher", "partitioner"};
    const auto& parameters = m_session->GetParameters();
    const auto& controller = m_session->GetController();
    const auto& step = m_session->GetStep();
    const auto pending = controller.GetPendingMessages().size();
    OpenGymInfo info{
        {"state_hash", Sha256(m_session->GetStateText())},
        {"concrete_hash", m_session->GetConcreteHash()},
        {"partition", MakeBoxContainer(m_session->GetPartition().GetBlocksOfReplicas())},
        {"repeat_count", int64_t{m_session->GetRepeats()}},
        {"ticks", int64_t{step.ticks}},
        {"delivered", int64_t{step.delivered}},
        {"dropped", int64_t{step.dropped}},
        {"pending_messages", static_cast<int64_t>(pending)},
        {"pending_requests", int64_t{controller.CountPendingRequests()}},
        {"remaining_crashes", int64_t{m_session->CountCrashesLeft()}},
        {"violations", ToLines(step.violations)},
        {"warnings", ToLines(step.warnings)},
        {"out_of_bounds", int64_t{m_session->IsOutOfBounds()}},
        {"virtual_time", Simulator::Now().GetSeconds()},
    };
    if (parameters.illegalActions == "refuse")
    {
        info["action_mask"] = MakeBoxContainer(m_mask);
    }
    if (parameters.Heals())
    {
        info["healing_ticks"] = int64_t{step.healingTicks};
    }
    if (parameters.withDelays)
    {
        info["delayed_messages"] = int64_t{m_session->GetDelays().Count()};
    }
    if (parameters.roles)
    {
        info["role"] = roles[static_cast<int>(m_role)];
    }
    if (parameters.actionHashes)
    {
        info["action_hashes"] = GetActionHashes();
    }
    if (parameters.histories)
    {
        info["history"] = step.history.empty() ? "[]" : step.history;
    }
    if (parameters.messageEvents)
    {
        info["message_events"] = GetMessagesText();
    }
    if (parameters.infos == "all")
    {
        AddStates(info);
    }
    return info;
}

void
TesterAgentApp::AddStates(OpenGymInfo& info) const
{
    const auto& partition = m_session->GetPartition();
    std::string colors = "[";
    for (uint32_t slot = 0; slot < m_session->GetParameters().replicas; slot++)
    {
        colors += (slot > 0 ? "," : "") + partition.GetColorAt(slot).text;
    }
    const auto& slots = partition.GetSlots();
    info["colors"] = colors + "]";
    info["slots"] = MakeBoxContainer(std::vector<int32_t>(slots.begin(), slots.end()));
    info["replicas"] = GetReplicasText();
}

std::string
TesterAgentApp::GetReplicasText() const
{
    std::string text = "[";
    const auto& fields = m_session->GetProtocol().GetFields();
    const auto& states = m_session->GetStates();
    m_logs.resize(states.size());
    for (std::size_t id = 1; id <= states.size(); id++)
    {
        const auto& state = states[id - 1];
        text += text.size() > 1 ? ",{" : "{";
        text += state.active ? "\"active\":true" : "\"active\":false";
        text += state.byzantine ? ",\"byzantine\":true" : ",\"byzantine\":false";
        if (m_session->GetParameters().withDelays)
        {
            text += state.delayed ? ",\"delayed\":true" : ",\"delayed\":false";
        }
        for (std::size_t i = 0; i < fields.size(); i++)
        {
            text += ",\"" + fields[i].name + "\":" + std::to_string(state.values[i]);
        }
        text += ",\"log\":[";
        text += m_logs[id - 1].Write(state.log);
        text += "]}";
    }
    return text + "]";
}

std::string
TesterAgentApp::GetActionHashes() const
{
    std::vector<std::string> hashes;
    for (uint32_t index = 0; index < m_mask.size(); index++)
    {
        if (m_mask[index] == 1)
        {
            hashes.push_back(Sha256(m_actions->GetLook(index, m_session->GetPartition())));
        }
    }
    return ToLines(hashes);
}

std::string
TesterAgentApp::GetMessagesText() const
{
    static const char* const kinds[] = {"sent", "arrived", "delivered", "dropped"};
    std::ostringstream text;
    text << "[";
    for (const auto& [kind, from, to, number, time, said] : m_session->GetStep().messageEvents)
    {
        text << (text.tellp() > 1 ? "," : "") << "{\"event\":\"" << kinds[kind]
             << "\",\"from\":" << from << ",\"to\":" << to << ",\"number\":" << number
             << ",\"time_ns\":" << time << ",\"text\":" << std::quoted(said) << "}";
    }
    text << "]";
    return text.str();
}

} // namespace ns3
