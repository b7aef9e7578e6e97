// SPDX-License-Identifier: GPL-2.0-only

#ifndef CALLABLE_AGENT_APPLICATION_H
#define CALLABLE_AGENT_APPLICATION_H

#include "agent-application.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief An agent without its own class: its spaces are given.
 *
 * It decides on each observation that it receives, or by StepInterval. With a function it looks
 * for itself, before each step by StepInterval.
 */
class CallableAgentApplication : public AgentApplication
{
  public:
    /// Returns what an agent sees now, or null to leave the step out.
    using ObserveFunction = std::function<Ptr<OpenGymDataContainer>()>;

    /**
     * @brief Create an agent.
     * @param observationSpace space of what it sees
     * @param actionSpace space of what it does
     * @param observe is called before each step by StepInterval; null: it sees what it receives
     */
    CallableAgentApplication(Ptr<OpenGymSpace> observationSpace,
                             Ptr<OpenGymSpace> actionSpace,
                             ObserveFunction observe = {});
    ~CallableAgentApplication() override;

    void Setup() override;

  protected:
    void DoDispose() override;
    Ptr<OpenGymDataContainer> Observe() override;
    Ptr<OpenGymSpace> GetObservationSpace() override;
    Ptr<OpenGymSpace> GetActionSpace() override;
    bool MayAskUnconnected() const override; // false: it only reacts

  private:
    Ptr<OpenGymSpace> m_observationSpace; //!< Space of what it sees
    Ptr<OpenGymSpace> m_actionSpace;      //!< Space of what it does
    ObserveFunction m_observe;            //!< Its observation, or null
};

} // namespace ns3

#endif /* CALLABLE_AGENT_APPLICATION_H */
