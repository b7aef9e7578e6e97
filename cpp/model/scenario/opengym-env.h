// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_ENV_H
#define OPENGYM_ENV_H

#include "ns3/opengym-interface.h"

#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A scenario's agent, in ns3-gym's form.
 *
 * A subclass defines observations and actions, and calls Notify() to let the agent decide.
 * ExecuteActions() is called before Notify() returns.
 *
 * Several environments are several agents: each has a name, by SetAgentName(), or its own
 * OpenGymInterface. A single environment needs neither, and is "agent_0".
 */
class OpenGymEnv : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @return the space of the observations
     */
    virtual Ptr<OpenGymSpace> GetObservationSpace() = 0;

    /**
     * @return the space of the actions
     */
    virtual Ptr<OpenGymSpace> GetActionSpace() = 0;

    /**
     * @return whether the agent's task has ended
     */
    virtual bool GetGameOver() = 0;

    /**
     * @return the present observation
     */
    virtual Ptr<OpenGymDataContainer> GetObservation() = 0;

    /**
     * @return reward since the last decision
     */
    virtual float GetReward() = 0;

    /**
     * @return the info of the observation, as entry "info"
     */
    virtual std::string GetExtraInfo() = 0;

    /**
     * @return further infos of the observation, with their types; by default none
     */
    virtual OpenGymInfo GetInfo()
    {
        return {};
    }

    /**
     * Execute an action.
     *
     * @param action A value of the action space.
     * @return whether it succeeded
     */
    virtual bool ExecuteActions(Ptr<OpenGymDataContainer> action) = 0;

    /**
     * Connect the environment with an interface. By default the simulation's is used.
     *
     * @param interface Lets the agent decide.
     */
    void SetOpenGymInterface(Ptr<OpenGymInterface> interface);

    /**
     * Give the agent its own name; abort if it is an agent already.
     *
     * @param name Name of the agent.
     */
    void SetAgentName(const std::string& name);

    /** Let the agent decide, and execute its action. */
    void Notify()
    {
        GetInterface()->NotifyCurrentState();
    }

    /** Let the agent decide, and execute its action; the same as Notify(). */
    void NotifyCurrentState()
    {
        Notify();
    }

    /** End the episode; call this after Simulator::Run(). */
    void NotifySimulationEnd()
    {
        GetInterface()->NotifySimulationEnd();
    }

  protected:
    void DoDispose() override;

  private:
    /**
     * @return the interface that was set, or the simulation's
     */
    Ptr<OpenGymInterface> GetInterface();

    Ptr<OpenGymInterface> m_openGymInterface; //!< Interface of decisions; null: none yet
};

} // namespace ns3

#endif /* OPENGYM_ENV_H */
