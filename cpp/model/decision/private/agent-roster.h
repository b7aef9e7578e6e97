// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGENT_ROSTER_H
#define AGENT_ROSTER_H

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/open-gym-multi-agent-interface.h"
#include "ns3/opengym-utf8.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/** Size up to which all observations are compared with their bounds; larger ones periodically. */
constexpr std::size_t CHECKED_NUMBERS = 256;

/**
 * @brief The state of one agent.
 */
struct AgentRecord
{
    /** Whether an agent still decides, or the reason of its end. */
    enum class Phase
    {
        ACTIVE,
        TERMINATED,
        TRUNCATED,
    };

    std::string agent;                           //!< Name
    std::optional<uint32_t> index;               //!< Position in the order of introduction
    bool introduced{false};                      //!< Whether its introduction has been taken
    Callback<Ptr<OpenGymSpace>> getObservations; //!< Returns the observation space
    Callback<Ptr<OpenGymSpace>> getActions;      //!< Returns the action space
    Callback<OpenGymFinalState> getFinalState;   //!< Returns the final state; may be null
    Callback<std::string> findWiringFault;       //!< Returns a wiring fault; may be null
    Callback<std::string> findSilence;           //!< Returns an observer's fault; may be null
    Callback<std::string> findObservationOrigin; //!< Returns the observation's origin; may be null
    Ptr<OpenGymSpace> observationSpace;          //!< Observation space, once known; else null
    Ptr<OpenGymSpace> actionSpace;               //!< Action space, once known; else null
    uint64_t boundsSkipped{0};                   //!< Observations between two bounds checks
    uint64_t boundsCountdown{0};                 //!< Observations before the next check
    Ptr<OpenGymDataContainer> lastObservation;   //!< Last observation notified; null: none yet
    Phase phase{Phase::ACTIVE};                  //!< Whether the agent still decides
    bool asks{false};                            //!< Whether the agent decides in this round
    uint64_t decisions{0};                       //!< Number of received actions
    double totalReward{0};                       //!< Sum of the agent's rewards
    uint64_t lateRewards{0};                     //!< Number of rewards after the agent's end
    Time firstLateReward;                        //!< Time of the first late reward
};

/**
 * @brief The agents of a simulation, in the order of introduction.
 */
class AgentRoster
{
  public:
    /**
     * @param agentId Name of an agent.
     * @return the agent's record, new if necessary
     */
    AgentRecord& GetOrAdd(const std::string& agentId)
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

    /**
     * @param agentId Name of an agent whose spaces are being registered; abort if they are already.
     * @return the agent's record
     */
    AgentRecord& GetNew(const std::string& agentId)
    {
        auto& record = GetOrAdd(agentId);
        NS_ABORT_MSG_IF(record.index,
                        "Agent '" << agentId
                                  << "' is registered twice: give each agent a name of its "
                                  << "own");
        return record;
    }

    /**
     * @param agentId Name of an agent.
     * @return the agent's record, or null
     */
    AgentRecord* Find(const std::string& agentId) const
    {
        const auto found = m_records.find(agentId);
        return found == m_records.end() ? nullptr : found->second.get();
    }

    /**
     * @param agentId Name of an agent; abort when its spaces are not registered.
     * @return the agent's record
     */
    AgentRecord& GetIntroduced(const std::string& agentId) const
    {
        AgentRecord* record = Find(agentId);
        NS_ABORT_MSG_IF(!record || !record->index,
                        "Agent '" << agentId
                                  << "' notifies, but its spaces are not registered; call "
                                  << "SetGetObservationSpaceCb and SetGetActionSpaceCb first");
        return *record;
    }

    /**
     * Introduce an agent once both of its spaces are registered.
     *
     * @param record The agent.
     */
    void IntroduceIfComplete(AgentRecord& record)
    {
        if (!record.index && !record.getObservations.IsNull() && !record.getActions.IsNull())
        {
            record.index = static_cast<uint32_t>(m_introduced.size());
            m_introduced.push_back(&record);
        }
    }

    /**
     * Compare an observation with its space.
     *
     * @param record An agent whose spaces are registered.
     * @param observation Observation of the agent.
     * @param checkBounds Whether the bounds are compared, too.
     * @return the fault, with the agent and its space; or an empty string
     */
    std::string FindObservationFault(AgentRecord& record,
                                     Ptr<const OpenGymDataContainer> observation,
                                     BoundsCheck checkBounds) const
    {
        FindSpaces(record);
        const bool due = checkBounds == BoundsCheck::ALWAYS || record.boundsCountdown == 0;
        record.boundsCountdown = due ? record.boundsSkipped : record.boundsCountdown - 1;
        const auto fault =
            record.observationSpace->FindFault(PeekPointer(observation),
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

    /**
     * @return the agents introduced since the last call, with their spaces
     */
    std::vector<const AgentRecord*> TakeIntroductions()
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

    /**
     * @return the introduced agents, by index
     */
    const std::vector<AgentRecord*>& GetIntroducedAgents() const
    {
        return m_introduced;
    }

    /** Release the callbacks of all agents, and the objects that they hold. */
    void ForgetCallbacks()
    {
        for (const auto& [name, record] : m_records)
        {
            record->getObservations.Nullify();
            record->getActions.Nullify();
            record->getFinalState.Nullify();
            record->findObservationOrigin.Nullify();
        }
    }

    /**
     * @return whether there are agents and each has ended
     */
    bool HaveAllEnded() const
    {
        return !m_introduced.empty() &&
               std::none_of(m_introduced.begin(),
                            m_introduced.end(),
                            [](const AgentRecord* record) {
                                return record->phase == AgentRecord::Phase::ACTIVE;
                            });
    }

  private:
    /**
     * Get the spaces of an agent, unless they are known.
     *
     * @param record The agent, whose spaces are registered.
     */
    static void FindSpaces(AgentRecord& record)
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

    std::unordered_map<std::string, std::unique_ptr<AgentRecord>> m_records; //!< All agents by name
    std::vector<AgentRecord*> m_introduced;                                  //!< Agents by index
    std::size_t m_taken{0}; //!< Number of introductions taken
};

} // namespace ns3

#endif // AGENT_ROSTER_H
