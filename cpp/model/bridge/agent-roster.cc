// SPDX-License-Identifier: GPL-2.0-only

#include "agent-roster.h"

#include "ns3/opengym-utf8.h"

#include <algorithm>

namespace ns3
{

AgentRecord&
AgentRoster::GetOrAdd(const std::string& agentId)
{
    auto& record = m_records[agentId];
    if (!record)
    {
        NS_ABORT_MSG_IF(agentId.empty() || !SplitUtf8(agentId),
                        "An agent's name must be a text in UTF-8 that is not empty");
        record = std::make_unique<AgentRecord>();
        record->agent = agentId;
    }
    return *record;
}

AgentRecord*
AgentRoster::Find(const std::string& agentId) const
{
    const auto found = m_records.find(agentId);
    return found == m_records.end() ? nullptr : found->second.get();
}

AgentRecord&
AgentRoster::GetIntroduced(const std::string& agentId) const
{
    AgentRecord* record = Find(agentId);
    NS_ABORT_MSG_IF(!record || !record->index,
                    "Agent '" << agentId << "' notifies, but its spaces are not registered; call "
                              << "SetGetObservationSpaceCb and SetGetActionSpaceCb first");
    return *record;
}

void
AgentRoster::IntroduceIfComplete(AgentRecord& record)
{
    if (!record.index && !record.getObservations.IsNull() && !record.getActions.IsNull())
    {
        record.index = static_cast<uint32_t>(m_introduced.size());
        m_introduced.push_back(&record);
    }
}

std::vector<AgentIntroduction>
AgentRoster::TakeIntroductions()
{
    std::vector<AgentIntroduction> introductions;
    // A space callback may register further agents.
    for (; m_taken < m_introduced.size(); ++m_taken)
    {
        AgentRecord* record = m_introduced[m_taken];
        record->introduced = true;
        introductions.push_back({record, record->getObservations(), record->getActions()});
        NS_ABORT_MSG_IF(!introductions.back().observationSpace || !introductions.back().actionSpace,
                        "A space callback of agent '" << record->agent << "' returned null");
    }
    return introductions;
}

const std::vector<AgentRecord*>&
AgentRoster::GetIntroducedAgents() const
{
    return m_introduced;
}

bool
AgentRoster::HaveAllEnded() const
{
    return !m_introduced.empty() &&
           std::none_of(m_introduced.begin(), m_introduced.end(), [](const AgentRecord* record) {
               return record->phase == AgentRecord::Phase::ACTIVE;
           });
}

} // namespace ns3
