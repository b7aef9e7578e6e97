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
 * @brief Where an agent asks for its decisions, in the shape that users of ns3-gym know.
 *
 * Callbacks say what the agent sees and does; an OpenGymEnv brings them all. NotifyCurrentState()
 * lets the agent decide, and executes its action before it returns.
 *
 * Each interface is a separate agent, which is registered when both spaces, the observation and
 * the action have their callbacks. Attribute AgentName names it; without a name, the agents are
 * "agent_0", "agent_1" and so on in the order of their registration, and their interfaces need
 * different ports, as those of ns3-gym do.
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
     * @param port Tells interfaces without a name apart; the endpoint comes from Python.
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
     * @param callback Returns what is reported beside the observation, as entry "info".
     */
    void SetGetExtraInfoCb(Callback<std::string> callback);

    /**
     * @param callback Returns what else is reported beside the observation, with its types.
     */
    void SetGetInfoCb(Callback<OpenGymInfo> callback);

    /**
     * @param callback Does what the agent decided, and returns whether that could be done.
     */
    void SetExecuteActionsCb(Callback<bool, Ptr<OpenGymDataContainer>> callback);

    /** Let the agent decide, and execute its action. */
    void NotifyCurrentState();

    /**
     * Take all callbacks from an environment; abort if another one has brought them.
     *
     * @param env The environment.
     */
    void SetEnv(Ptr<OpenGymEnv> env);

    /**
     * Let an environment's agent decide, and execute its action.
     *
     * @param env Brings the callbacks.
     */
    void Notify(Ptr<OpenGymEnv> env);

    /** End the episode; to be called after Simulator::Run(). */
    void NotifySimulationEnd();

  private:
    void DoDispose() override;

    /** Register the agent, once there is all that it needs. */
    void RegisterIfComplete();

    /** Abort unless the agent is registered. */
    void RequireAgent() const;

    /**
     * @return reward since the last decision
     */
    float GetReward();

    /**
     * @return all that is reported beside the observation
     */
    OpenGymInfo GetInfo();

    /**
     * @return the state of the agent when the simulation ends
     */
    OpenGymFinalState GetFinalState();

    /**
     * @param action The agent's action.
     */
    void Execute(Ptr<OpenGymDataContainer> action);

    uint32_t m_port;                                   //!< Tells unnamed interfaces apart
    std::string m_agent;                               //!< Name of the agent; empty: not named yet
    const OpenGymEnv* m_env{nullptr};                  //!< Brought the callbacks; null: nobody
    Ptr<OpenGymMultiAgentInterface> m_interface;       //!< Where the agent is known; null: not yet
    Callback<Ptr<OpenGymSpace>> m_getActionSpace;      //!< Space of the actions
    Callback<Ptr<OpenGymSpace>> m_getObservationSpace; //!< Space of the observations
    Callback<bool> m_getGameOver;                      //!< Whether it has ended
    Callback<Ptr<OpenGymDataContainer>> m_getObservation;       //!< Its observation
    Callback<float> m_getReward;                                //!< Its reward
    Callback<std::string> m_getExtraInfo;                       //!< The info beside them
    Callback<OpenGymInfo> m_getInfo;                            //!< The info beside them
    Callback<bool, Ptr<OpenGymDataContainer>> m_executeActions; //!< Its action
};

} // namespace ns3

#endif /* OPENGYM_INTERFACE_H */
