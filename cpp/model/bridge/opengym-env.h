// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_ENV_H
#define OPENGYM_ENV_H

#include "ns3/open-gym-multi-agent-interface.h"

#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A scenario with a single agent, "agent_0", in the shape that users of ns3-gym know.
 *
 * A subclass says what the agent sees and does, and calls Notify() where the agent is to decide.
 * ExecuteActions() runs as an event of the same instant.
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
     * @return what is told beside the observation, as entry "info"
     */
    virtual std::string GetExtraInfo() = 0;

    /**
     * Do what the agent decided.
     *
     * @param action A value of the action space.
     * @return whether it could be done
     */
    virtual bool ExecuteActions(Ptr<OpenGymDataContainer> action) = 0;

    /** Let the agent decide. */
    void Notify();

    /** Let the agent decide; the same as Notify(). */
    void NotifyCurrentState();

    /** End the episode; to be called after Simulator::Run(). */
    void NotifySimulationEnd();

  private:
    /** Introduce the agent to the interface of this simulation, once. */
    void Register();

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

    Ptr<OpenGymMultiAgentInterface> m_interface; //!< Where the agent is known; null: not yet
};

} // namespace ns3

#endif /* OPENGYM_ENV_H */
