// SPDX-License-Identifier: GPL-2.0-only

#include "queue-agent-app.h"

#include "queue-action-app.h"
#include "queue-observation-app.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"

#include <utility>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QueueAgentApp);

TypeId
QueueAgentApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::QueueAgentApp")
            .SetParent<AgentApplication>()
            .SetGroupName("defiance")
            .AddConstructor<QueueAgentApp>()
            .AddAttribute("Continuous",
                          "Whether it sets any probability, rather than one of a few.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&QueueAgentApp::m_continuous),
                          MakeBooleanChecker());
    return tid;
}

void
QueueAgentApp::DoDispose()
{
    m_report = nullptr;
    AgentApplication::DoDispose();
}

void
QueueAgentApp::SetReport(std::function<OpenGymInfo()> report)
{
    m_report = std::move(report);
}

Ptr<OpenGymSpace>
QueueAgentApp::GetObservationSpace()
{
    const auto& high = QueueObservationApp::GetHigh();
    return MakeBoxSpace(std::vector<float>(high.size()), high);
}

Ptr<OpenGymSpace>
QueueAgentApp::GetActionSpace()
{
    if (m_continuous)
    {
        return MakeBoxSpace<float>(1, 0, 1);
    }
    return MakeDiscreteSpace(QueueActionApp::STEPS);
}

OpenGymInfo
QueueAgentApp::GetExtraInfo()
{
    return m_report ? m_report() : OpenGymInfo();
}

} // namespace ns3
