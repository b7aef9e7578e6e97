// SPDX-License-Identifier: GPL-2.0-only

#include "callable-agent-application.h"

#include "ns3/abort.h"

#include <utility>

namespace ns3
{

CallableAgentApplication::CallableAgentApplication(Ptr<OpenGymSpace> observationSpace,
                                                   Ptr<OpenGymSpace> actionSpace,
                                                   ObserveFunction observe)
    : m_observationSpace(observationSpace),
      m_actionSpace(actionSpace),
      m_observe(std::move(observe))
{
    NS_ABORT_MSG_UNLESS(observationSpace && actionSpace,
                        "A CallableAgentApplication needs both spaces, and one is null");
}

CallableAgentApplication::~CallableAgentApplication() = default;

void
CallableAgentApplication::DoDispose()
{
    m_observe = nullptr;
    AgentApplication::DoDispose();
}

void
CallableAgentApplication::Setup()
{
    AgentApplication::Setup();
    TimeValue stepInterval;
    GetAttribute("StepInterval", stepInterval);
    NS_ABORT_MSG_IF(
        m_observe && stepInterval.Get().IsZero(),
        GetId() << " would never observe: set its StepInterval, whose steps call its function");
}

} // namespace ns3
