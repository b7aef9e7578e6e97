// SPDX-License-Identifier: GPL-2.0-only

#ifndef AGENT_ROSTER_H
#define AGENT_ROSTER_H

#include "ns3/nstime.h"
#include "ns3/open-gym-multi-agent-interface.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

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
    AgentRecord& GetOrAdd(const std::string& agentId);

    /**
     * @param agentId Name of an agent whose spaces are being registered; abort if they are already.
     * @return the agent's record
     */
    AgentRecord& GetNew(const std::string& agentId);

    /**
     * @param agentId Name of an agent.
     * @return the agent's record, or null
     */
    AgentRecord* Find(const std::string& agentId) const;

    /**
     * @param agentId Name of an agent; abort when its spaces are not registered.
     * @return the agent's record
     */
    AgentRecord& GetIntroduced(const std::string& agentId) const;

    /**
     * Introduce an agent once both of its spaces are registered.
     *
     * @param record The agent.
     */
    void IntroduceIfComplete(AgentRecord& record);

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
                                     BoundsCheck checkBounds) const;

    /**
     * @return the agents introduced since the last call, with their spaces
     */
    std::vector<const AgentRecord*> TakeIntroductions();

    /**
     * @return the introduced agents, by index
     */
    const std::vector<AgentRecord*>& GetIntroducedAgents() const
    {
        return m_introduced;
    }

    /** Release the callbacks of all agents, and the objects that they hold. */
    void ForgetCallbacks();

    /**
     * @return whether there are agents and each has ended
     */
    bool HaveAllEnded() const;

  private:
    /**
     * Get the spaces of an agent, unless they are known.
     *
     * @param record The agent, whose spaces are registered.
     */
    static void FindSpaces(AgentRecord& record);

    std::unordered_map<std::string, std::unique_ptr<AgentRecord>> m_records; //!< All agents by name
    std::vector<AgentRecord*> m_introduced;                                  //!< Agents by index
    std::size_t m_taken{0}; //!< Number of introductions taken
};

} // namespace ns3

#endif /* AGENT_ROSTER_H */
