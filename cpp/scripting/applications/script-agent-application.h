// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_AGENT_APPLICATION_H
#define SCRIPT_AGENT_APPLICATION_H

#include "script-hook.h"

#include "ns3/agent-application.h"

#include <optional>

namespace ns3
{

/**
 * @brief An agent whose code is Python. Methods without a function behave as in AgentApplication.
 */
class ScriptAgentApplication : public AgentApplication
{
  public:
    /// The names of the functions.
    struct Hooks
    {
        ScriptHook observation; //!< Takes the sender and the message of an observation
        ScriptHook reward;      //!< Takes the sender and the message of a reward
        ScriptHook message;     //!< Takes another agent and its message
        ScriptHook action;      //!< Takes an action
        ScriptHook observe;     //!< Called before each step of StepInterval: returns an observation
        ScriptHook info;        //!< Returns the info: a dict
        bool takesArrays{false}; //!< Whether `observation` gets NumPy's arrays instead of lists
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Setup() override;

    /**
     * @param observations Space of observations.
     * @param actions Space of actions.
     */
    void SetSpaces(Ptr<OpenGymSpace> observations, Ptr<OpenGymSpace> actions);

    Hooks& GetHooks(); //!< @return functions of the script

    /**
     * Request an action.
     *
     * @param observation The observation; None: the last one.
     * @param remoteAppId Number of the action application; nothing: all.
     */
    void Decide(nb::handle observation, std::optional<uint32_t> remoteAppId);

    /**
     * Request an action and wait for it.
     *
     * @param observation The observation; None: the last one.
     * @return the action; None if there is none
     */
    nb::object Request(nb::handle observation);

    double GetReward() const;      //!< @return reward since the agent's last decision
    void SetReward(double reward); //!< @param reward reward since the agent's last decision

    void SetObservation(
        nb::handle observation); //!< @param observation new observation; None: unchanged

    nb::object GetObservation() const; //!< @return the observation; None: nothing yet

  protected:
    void DoDispose() override;
    void OnRecvObs(uint32_t remoteAppId) override;
    void OnRecvReward(uint32_t remoteAppId) override;
    void OnRecvFromAgent(uint32_t remoteAppId, Ptr<OpenGymDictContainer> payload) override;
    void InitiateAction(Ptr<OpenGymDataContainer> action) override;
    Ptr<OpenGymDataContainer> Observe() override;
    OpenGymInfo GetExtraInfo() override;
    std::string FindObservationOrigin() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;

  private:
    /// @param sender Sender of a message. @return lines about the message and its receiver
    std::string DescribeMessage(RlApplicationId sender) const;

    Hooks m_hooks;                    //!< Functions of the script
    bool m_decidesBySteps{false};     //!< Whether it has a StepInterval
    std::optional<uint32_t> m_sender; //!< Sender of the observation, if received
    Ptr<OpenGymSpace> m_observations; //!< Space of observations
    Ptr<OpenGymSpace> m_actions;      //!< Space of actions
};

} // namespace ns3

#endif /* SCRIPT_AGENT_APPLICATION_H */
