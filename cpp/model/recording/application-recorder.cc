// SPDX-License-Identifier: GPL-2.0-only

#include "private/application-recorder.h"

#include "private/recorded-network.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

ApplicationRecorder::ApplicationRecorder(
    RecordingFile& file,
    std::function<void(const std::string&, const std::string&)> moved)
    : m_file(file),
      m_moved(std::move(moved))
{
    m_file.WriteText("time_ns,application,node\n");
}

void
ApplicationRecorder::Add(const std::string& name,
                         const std::string& role,
                         Ptr<Application> application)
{
    const auto node = application->GetNode();
    const auto where = node ? std::optional(node->GetId()) : std::nullopt;
    const auto known = std::find_if(m_members.begin(), m_members.end(), [&name](auto& member) {
        return member.name == name;
    });
    if (known != m_members.end())
    {
        m_hasNews |= !known->node && where;
        known->node = known->node ? known->node : where;
        return;
    }
    m_members.push_back({name, role, where});
    m_hasNews = true;
    application->TraceConnectWithoutContext(
        "Move",
        MakeCallback(&ApplicationRecorder::NoteMove, this).Bind(name));
}

void
ApplicationRecorder::AddAgent(const std::string& name, std::optional<uint32_t> node)
{
    const auto known = std::any_of(m_members.begin(), m_members.end(), [&name](auto& member) {
        return member.name == name;
    });
    if (!known)
    {
        m_members.push_back({name, "agent", node});
        m_hasNews = true;
    }
}

void
ApplicationRecorder::NoteMove(std::string name, Ptr<Node> from, Ptr<Node> to)
{
    m_file.WriteLine(Simulator::Now().GetNanoSeconds(), name, to->GetId());
    m_moved(name, "from " + GetNodeName(from) + " to " + GetNodeName(to));
}

} // namespace ns3
