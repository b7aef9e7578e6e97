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
        ScriptHook observation; //!< An observation has come: takes its sender and the message
        ScriptHook reward;      //!< A reward has come: takes its sender and the message
        ScriptHook message;     //!< Another agent has sent something: takes it and the message
        ScriptHook action;      //!< An action is there: takes it
        ScriptHook observe;     //!< Before each step by StepInterval: returns what it sees, or None
        ScriptHook info;        //!< Returns what is reported beside the observation: a dict
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    void Setup() override;

    /**
     * @param observations Space of what it sees.
     * @param actions Space of what it does.
     */
    void SetSpaces(Ptr<OpenGymSpace> observations, Ptr<OpenGymSpace> actions);

    Hooks& GetHooks(); //!< @return its functions

    /**
     * Ask for an action.
     *
     * @param observation Its observation; None: the last one.
     * @param remoteAppId Number of the action application that it is for; nothing: of all.
     */
    void Decide(nb::handle observation, std::optional<uint32_t> remoteAppId);

    /**
     * Ask for an action and wait for it.
     *
     * @param observation Its observation; None: the last one.
     * @return the action; None if there is none any more
     */
    nb::object Request(nb::handle observation);

    double GetReward() const;      //!< @return what it has earned since its last decision
    void SetReward(double reward); //!< @param reward what it has earned since its last decision

    void See(nb::handle observation); //!< @param observation what it sees; None: no change

    nb::object GetObservation() const; //!< @return what it sees; None: nothing yet

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
    /// @param sender Sender of a message. @return lines that say who has got which message
    std::string DescribeMessage(RlApplicationId sender) const;

    Hooks m_hooks;                    //!< Its functions
    bool m_decidesBySteps{false};     //!< It has a StepInterval
    std::optional<uint32_t> m_sender; //!< Of the message that it sees; nothing: its own code saw
    Ptr<OpenGymSpace> m_observations; //!< Space of what it sees
    Ptr<OpenGymSpace> m_actions;      //!< Space of what it does
};

} // namespace ns3

#endif /* SCRIPT_AGENT_APPLICATION_H */
