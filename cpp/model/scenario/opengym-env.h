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
 * @brief A scenario's agent, in the shape that users of ns3-gym know.
 *
 * A subclass says what the agent sees and does, and calls Notify() where the agent is to decide.
 * ExecuteActions() is called before Notify() returns.
 *
 * Several environments are several agents: each has a name, by SetAgentName(), or its own
 * OpenGymInterface. The only one needs neither, and is "agent_0".
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
     * @return what the agent sees now
     */
    virtual Ptr<OpenGymDataContainer> GetObservation() = 0;

    /**
     * @return reward since the last decision
     */
    virtual float GetReward() = 0;

    /**
     * @return what is reported beside the observation, as entry "info"
     */
    virtual std::string GetExtraInfo() = 0;

    /**
     * @return what else is reported beside the observation, with its types; by default nothing
     */
    virtual OpenGymInfo GetInfo();

    /**
     * Do what the agent decided.
     *
     * @param action A value of the action space.
     * @return whether it could be done
     */
    virtual bool ExecuteActions(Ptr<OpenGymDataContainer> action) = 0;

    /**
     * Make this the environment of an interface. Without it, that of the simulation is used.
     *
     * @param interface Lets the agent decide.
     */
    void SetOpenGymInterface(Ptr<OpenGymInterface> interface);

    /**
     * Make this an agent with its own name; abort if it is an agent already.
     *
     * @param name Name of the agent.
     */
    void SetAgentName(const std::string& name);

    /** Let the agent decide, and execute its action. */
    void Notify();

    /** Let the agent decide, and execute its action; the same as Notify(). */
    void NotifyCurrentState();

    /** End the episode; to be called after Simulator::Run(). */
    void NotifySimulationEnd();

  protected:
    void DoDispose() override;

  private:
    /**
     * @return the interface that was set, or that of the simulation
     */
    Ptr<OpenGymInterface> GetInterface();

    Ptr<OpenGymInterface> m_openGymInterface; //!< Lets the agent decide; null: not chosen yet
};

} // namespace ns3

#endif /* OPENGYM_ENV_H */
