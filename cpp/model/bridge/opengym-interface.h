// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_INTERFACE_H
#define OPENGYM_INTERFACE_H

#include "ns3/open-gym-multi-agent-interface.h"

#include <cstdint>
#include <string>

namespace ns3
{

class OpenGymEnv;

/**
 * @ingroup defiance
 *
 * @brief Where the single agent of a scenario, "agent_0", asks for its decisions, in the shape that
 * users of ns3-gym know.
 *
 * Callbacks say what the agent sees and does; an OpenGymEnv brings them all. NotifyCurrentState()
 * lets the agent decide. Its action is executed as an event of the same instant.
 */
class OpenGymInterface : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * Get the interface of this simulation, which lives until Simulator::Destroy().
     *
     * @param port Not used: the endpoint comes from Python.
     * @return the interface
     */
    static Ptr<OpenGymInterface> Get(uint32_t port = 5555);

    /**
     * Create an interface for the callbacks of one scenario.
     *
     * @param port Not used: the endpoint comes from Python.
     */
    explicit OpenGymInterface(uint32_t port = 5555);
    ~OpenGymInterface() override;

    /**
     * @param callback Returns the space of the actions.
     */
    void SetGetActionSpaceCb(Callback<Ptr<OpenGymSpace>> callback);

    /**
     * @param callback Returns the space of the observations.
     */
    void SetGetObservationSpaceCb(Callback<Ptr<OpenGymSpace>> callback);

    /**
     * @param callback Returns whether the agent's task has ended; without it, it does not.
     */
    void SetGetGameOverCb(Callback<bool> callback);

    /**
     * @param callback Returns what the agent sees now.
     */
    void SetGetObservationCb(Callback<Ptr<OpenGymDataContainer>> callback);

    /**
     * @param callback Returns the reward since the last decision; without it, it is 0.
     */
    void SetGetRewardCb(Callback<float> callback);

    /**
     * @param callback Returns what is told beside the observation, as entry "info".
     */
    void SetGetExtraInfoCb(Callback<std::string> callback);

    /**
     * @param callback Does what the agent decided, and returns whether that could be done.
     */
    void SetExecuteActionsCb(Callback<bool, Ptr<OpenGymDataContainer>> callback);

    /** Let the agent decide. */
    void NotifyCurrentState();

    /**
     * Let an environment's agent decide.
     *
     * @param env Brings the callbacks.
     */
    void Notify(Ptr<OpenGymEnv> env);

    /** End the episode; to be called after Simulator::Run(). */
    void NotifySimulationEnd();

  private:
    void DoDispose() override;

    /** Introduce the agent to the interface of this simulation, once. */
    void Register();

    /**
     * @return reward since the last decision
     */
    float GetReward();

    /**
     * @return the extra info as an info entry, or none when it is empty
     */
    OpenGymInfo GetInfo();

    /**
     * @return the state of the agent when the simulation ends
     */
    OpenGymFinalState GetFinalState();

    /**
     * @param action What the agent decided.
     */
    void Execute(Ptr<OpenGymDataContainer> action);

    Ptr<OpenGymMultiAgentInterface> m_interface;       //!< Where the agent is known; null: not yet
    Callback<Ptr<OpenGymSpace>> m_getActionSpace;      //!< Space of the actions
    Callback<Ptr<OpenGymSpace>> m_getObservationSpace; //!< Space of the observations
    Callback<bool> m_getGameOver;                      //!< Whether it has ended
    Callback<Ptr<OpenGymDataContainer>> m_getObservation;       //!< What it sees
    Callback<float> m_getReward;                                //!< What it has earned
    Callback<std::string> m_getExtraInfo;                       //!< What is told besides
    Callback<bool, Ptr<OpenGymDataContainer>> m_executeActions; //!< What it does
};

} // namespace ns3

#endif /* OPENGYM_INTERFACE_H */
