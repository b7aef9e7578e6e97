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
    /** Whether an agent still decides, and if not, why. */
    enum class Phase
    {
        ACTIVE,
        TERMINATED,
        TRUNCATED,
    };

    std::string agent;                           //!< Name
    std::optional<uint32_t> index;               //!< Position in the order of introduction
    bool introduced{false};                      //!< Whether its introduction has been taken
    Callback<Ptr<OpenGymSpace>> getObservations; //!< Finds the observation space
    Callback<Ptr<OpenGymSpace>> getActions;      //!< Finds the action space
    Callback<OpenGymFinalState> getFinalState;   //!< Finds the state at the end; may be null
    Callback<std::string> findWiringFault;       //!< Says what the agent lacks; may be null
    Callback<std::string> findObservationOrigin; //!< Tells where it comes from; may be null
    Ptr<OpenGymSpace> observationSpace;          //!< Once it has been asked for; null: not yet
    Ptr<OpenGymSpace> actionSpace;               //!< Likewise
    uint64_t boundsSkipped{0};                   //!< Observations between two compared with bounds
    uint64_t boundsCountdown{0};                 //!< Observations before the next check
    Ptr<OpenGymDataContainer> lastObservation;   //!< Last observation notified; null: none yet
    Phase phase{Phase::ACTIVE};                  //!< Whether it still decides
    bool asks{false};                            //!< Whether it asks in the round that is collected
    uint64_t decisions{0};                       //!< Number of actions it got
    double totalReward{0};                       //!< Sum of its rewards
    uint64_t lateRewards{0};                     //!< Number of rewards after its end
    Time firstLateReward;                        //!< When the first of these came
};

/**
 * @brief An agent as it is introduced to whoever decides.
 */
struct AgentIntroduction
{
    const AgentRecord* record;          //!< The agent
    Ptr<OpenGymSpace> observationSpace; //!< Space of its observations
    Ptr<OpenGymSpace> actionSpace;      //!< Space of its actions
};

/**
 * @brief The agents of a simulation, in the order of introduction.
 */
class AgentRoster
{
  public:
    /**
     * @param agentId Name of an agent.
     * @return what is known of it, from now on if not before
     */
    AgentRecord& GetOrAdd(const std::string& agentId);

    /**
     * @param agentId Name of an agent whose spaces are being registered; abort when they are.
     * @return what is known of it
     */
    AgentRecord& GetNew(const std::string& agentId);

    /**
     * @param agentId Name of an agent.
     * @return what is known of it, or null
     */
    AgentRecord* Find(const std::string& agentId) const;

    /**
     * @param agentId Name of an agent; abort when its spaces are not registered.
     * @return what is known of it
     */
    AgentRecord& GetIntroduced(const std::string& agentId) const;

    /**
     * Count an agent in once both of its spaces are registered.
     *
     * @param record The agent.
     */
    void IntroduceIfComplete(AgentRecord& record);

    /**
     * Compare an observation with its space.
     *
     * @param record An agent whose spaces are registered.
     * @param observation Its observation.
     * @param checkBounds Whether the bounds are compared, too.
     * @return what is wrong, with the agent and its space; or an empty string
     */
    std::string FindObservationFault(AgentRecord& record,
                                     Ptr<const OpenGymDataContainer> observation,
                                     BoundsCheck checkBounds) const;

    /**
     * @return the agents that have been counted in since the last call, with their spaces
     */
    std::vector<AgentIntroduction> TakeIntroductions();

    /**
     * @return the agents counted in, by index
     */
    const std::vector<AgentRecord*>& GetIntroducedAgents() const;

    /** Let go of the callbacks of all agents, and of what these hold. */
    void ForgetCallbacks();

    /**
     * @return whether there are agents and each has ended
     */
    bool HaveAllEnded() const;

  private:
    /**
     * Ask for the spaces of an agent, unless that has been done.
     *
     * @param record The agent, whose spaces are registered.
     */
    static void FindSpaces(AgentRecord& record);

    std::unordered_map<std::string, std::unique_ptr<AgentRecord>> m_records; //!< All, by name
    std::vector<AgentRecord*> m_introduced;                                  //!< By index
    std::size_t m_taken{0}; //!< Introductions taken
};

} // namespace ns3

#endif /* AGENT_ROSTER_H */
