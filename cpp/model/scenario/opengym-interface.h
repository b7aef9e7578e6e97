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
 * @brief The interface through which an agent requests decisions, in ns3-gym's form.
 *
 * Callbacks define observations and actions; an OpenGymEnv provides all of them.
 * NotifyCurrentState() lets the agent decide, and executes its action before it returns.
 *
 * Each interface is a separate agent, which is registered when both spaces, the observation and the
 * action have their callbacks. Attribute AgentName names the agent. Without names, the agents are
 * "agent_0", "agent_1" and so on in the order of their registration, and their interfaces need
 * different ports, as in ns3-gym.
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
     * @param port Distinguishes interfaces without a name; the endpoint comes from Python.
     */
    explicit OpenGymInterface(uint32_t port = 5555)
        : m_port(port)
    {
    }

    /**
     * @param callback Returns the space of the actions.
     */
    void SetGetActionSpaceCb(Callback<Ptr<OpenGymSpace>> callback);

    /**
     * @param callback Returns the space of the observations.
     */
    void SetGetObservationSpaceCb(Callback<Ptr<OpenGymSpace>> callback);

    /**
     * @param callback Returns whether the agent's task has ended; by default never.
     */
    void SetGetGameOverCb(Callback<bool> callback)
    {
        m_getGameOver = callback;
    }

    /**
     * @param callback Returns the present observation.
     */
    void SetGetObservationCb(Callback<Ptr<OpenGymDataContainer>> callback);

    /**
     * @param callback Returns the reward since the last decision; by default 0.
     */
    void SetGetRewardCb(Callback<float> callback)
    {
        m_getReward = callback;
    }

    /**
     * @param callback Returns the info of the observation, as entry "info".
     */
    void SetGetExtraInfoCb(Callback<std::string> callback)
    {
        m_getExtraInfo = callback;
    }

    /**
     * @param callback Returns further infos of the observation, with their types.
     */
    void SetGetInfoCb(Callback<OpenGymInfo> callback)
    {
        m_getInfo = callback;
    }

    /**
     * @param callback Executes an action, and returns whether that succeeded.
     */
    void SetExecuteActionsCb(Callback<bool, Ptr<OpenGymDataContainer>> callback);

    /** Let the agent decide, and execute its action. */
    void NotifyCurrentState();

    /**
     * Take all callbacks from an environment; abort if they are another environment's.
     *
     * @param env The environment.
     */
    void SetEnv(Ptr<OpenGymEnv> env);

    /**
     * Let an environment's agent decide, and execute its action.
     *
     * @param env Provides the callbacks.
     */
    void Notify(Ptr<OpenGymEnv> env);

    /** End the episode; call this after Simulator::Run(). */
    void NotifySimulationEnd()
    {
        OpenGymMultiAgentInterface::Get()->NotifySimulationEnd();
    }

  private:
    void DoDispose() override;

    /** Register the agent, once all its callbacks are set. */
    void RegisterIfComplete();

    /** Abort unless the agent is registered. */
    void RequireAgent() const;

    /**
     * @return reward since the last decision
     */
    float GetReward()
    {
        return m_getReward.IsNull() ? 0 : m_getReward();
    }

    /**
     * @return the complete info of the observation
     */
    OpenGymInfo GetInfo();

    /**
     * @return the state of the agent when the simulation ends
     */
    OpenGymFinalState GetFinalState()
    {
        return {m_getObservation(), GetReward(), GetInfo()};
    }

    /**
     * @param action The agent's action.
     */
    void Execute(Ptr<OpenGymDataContainer> action);

    uint32_t m_port;                                   //!< Port that identifies the interface
    std::string m_agent;                               //!< Name of the agent; empty: not named yet
    const OpenGymEnv* m_env{nullptr};                  //!< Owner of the callbacks; null: none
    Ptr<OpenGymMultiAgentInterface> m_interface;       //!< Interface of the agent; null: none yet
    Callback<Ptr<OpenGymSpace>> m_getActionSpace;      //!< Space of the actions
    Callback<Ptr<OpenGymSpace>> m_getObservationSpace; //!< Space of the observations
    Callback<bool> m_getGameOver;                      //!< Returns whether the episode ended
    Callback<Ptr<OpenGymDataContainer>> m_getObservation;       //!< Returns the observation
    Callback<float> m_getReward;                                //!< Returns the reward
    Callback<std::string> m_getExtraInfo;                       //!< Returns the text of the info
    Callback<OpenGymInfo> m_getInfo;                            //!< Returns the info
    Callback<bool, Ptr<OpenGymDataContainer>> m_executeActions; //!< Executes the action
};

} // namespace ns3

#endif /* OPENGYM_INTERFACE_H */
