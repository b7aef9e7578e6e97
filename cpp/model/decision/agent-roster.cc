// SPDX-License-Identifier: GPL-2.0-only

#include "agent-roster.h"

#include "ns3/abort.h"
#include "ns3/opengym-utf8.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/** Size up to which all observations are compared with their bounds; larger ones periodically. */
constexpr std::size_t CHECKED_NUMBERS = 256;

} // namespace

AgentRecord&
AgentRoster::GetOrAdd(const std::string& agentId)
{
    auto& record = m_records[agentId];
    if (!record)
    {
        NS_ABORT_MSG_IF(agentId.empty() || !IsUtf8(agentId),
                        "An agent's name must be a text in UTF-8 that is not empty");
        record = std::make_unique<AgentRecord>();
        record->agent = agentId;
    }
    return *record;
}

AgentRecord&
AgentRoster::GetNew(const std::string& agentId)
{
    auto& record = GetOrAdd(agentId);
    NS_ABORT_MSG_IF(record.index,
                    "Agent '" << agentId << "' is registered twice: give each agent a name of its "
                              << "own");
    return record;
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

std::vector<const AgentRecord*>
AgentRoster::TakeIntroductions()
{
    std::vector<const AgentRecord*> introductions;
    // A space callback may register further agents.
    for (; m_taken < m_introduced.size(); ++m_taken)
    {
        AgentRecord* record = m_introduced[m_taken];
        record->introduced = true;
        FindSpaces(*record);
        introductions.push_back(record);
    }
    return introductions;
}

void
AgentRoster::FindSpaces(AgentRecord& record)
{
    if (record.observationSpace)
    {
        return;
    }
    record.observationSpace = record.getObservations();
    record.actionSpace = record.getActions();
    NS_ABORT_MSG_IF(!record.observationSpace || !record.actionSpace,
                    "A space callback of agent '" << record.agent << "' returned null");
    const auto size = record.observationSpace->GetFlatSize();
    record.boundsSkipped = size == 0 ? 0 : (size - 1) / CHECKED_NUMBERS;
}

std::string
AgentRoster::FindObservationFault(AgentRecord& record,
                                  Ptr<const OpenGymDataContainer> observation,
                                  BoundsCheck checkBounds) const
{
    FindSpaces(record);
    const bool due = checkBounds == BoundsCheck::ALWAYS || record.boundsCountdown == 0;
    record.boundsCountdown = due ? record.boundsSkipped : record.boundsCountdown - 1;
    const auto fault = record.observationSpace->FindFault(PeekPointer(observation),
                                                          due && checkBounds != BoundsCheck::NEVER);
    if (fault.empty())
    {
        return "";
    }
    std::ostringstream text;
    text << "the observation of agent '" << record.agent << "' is not of its observation space "
         << record.observationSpace << ": " << fault;
    const auto& findOrigin = record.findObservationOrigin;
    const auto origin = findOrigin.IsNull() ? std::string() : findOrigin();
    if (!origin.empty())
    {
        text << "\n" << origin;
    }
    return text.str();
}

void
AgentRoster::ForgetCallbacks()
{
    for (const auto& [name, record] : m_records)
    {
        record->getObservations.Nullify();
        record->getActions.Nullify();
        record->getFinalState.Nullify();
        record->findObservationOrigin.Nullify();
    }
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
