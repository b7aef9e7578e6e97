// SPDX-License-Identifier: GPL-2.0-only

#ifndef CALLABLE_AGENT_APPLICATION_H
#define CALLABLE_AGENT_APPLICATION_H

#include "agent-application.h"

#include "ns3/abort.h"

#include <functional>
#include <utility>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief An agent without its own class, made from given spaces.
 *
 * It decides on each received observation, or by StepInterval. If a function is given, the agent
 * calls it to observe before each step by StepInterval.
 */
class CallableAgentApplication : public AgentApplication
{
  public:
    /// Returns the present observation, or null to skip the step.
    using ObserveFunction = std::function<Ptr<OpenGymDataContainer>()>;

    /**
     * @brief Create an agent.
     * @param observationSpace space of observations
     * @param actionSpace space of actions
     * @param observe called before each step by StepInterval; null: observations are received
     */
    CallableAgentApplication(Ptr<OpenGymSpace> observationSpace,
                             Ptr<OpenGymSpace> actionSpace,
                             ObserveFunction observe = {})
        : m_observationSpace(observationSpace),
          m_actionSpace(actionSpace),
          m_observe(std::move(observe))
    {
        NS_ABORT_MSG_UNLESS(observationSpace && actionSpace,
                            "A CallableAgentApplication needs both spaces, and one is null");
    }

    void Setup() override
    {
        AgentApplication::Setup();
        TimeValue stepInterval;
        GetAttribute("StepInterval", stepInterval);
        NS_ABORT_MSG_IF(
            m_observe && stepInterval.Get().IsZero(),
            GetId() << " would never observe: set its StepInterval, whose steps call its function");
    }

  protected:
    void DoDispose() override
    {
        m_observe = nullptr;
        AgentApplication::DoDispose();
    }

    Ptr<OpenGymDataContainer> Observe() override
    {
        return m_observe ? m_observe() : AgentApplication::Observe();
    }

    Ptr<OpenGymSpace> GetObservationSpace() override
    {
        return m_observationSpace;
    }

    Ptr<OpenGymSpace> GetActionSpace() override
    {
        return m_actionSpace;
    }

    /// @return false: it only reacts
    bool MayAskUnconnected() const override
    {
        return false;
    }

  private:
    Ptr<OpenGymSpace> m_observationSpace; //!< Space of observations
    Ptr<OpenGymSpace> m_actionSpace;      //!< Space of actions
    ObserveFunction m_observe;            //!< Function that observes, or null
};

} // namespace ns3

#endif // CALLABLE_AGENT_APPLICATION_H
