// SPDX-License-Identifier: GPL-2.0-only

#include "flow-agent-app.h"

#include "flow-actions.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <utility>

namespace ns3
{

FlowAgentApp::FlowAgentApp(const AgentDevices& flows,
                           const FlowFeatures& features,
                           std::string actionSpace)
    : DeviceAgentApplication(flows),
      m_features(features),
      m_actionSpace(std::move(actionSpace)),
      m_left(flows.count)
{
}

void
FlowAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto flow = ReadState(remoteAppId, "state", m_states);
    const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    m_left[flow] = sample->Get("left")->GetObject<OpenGymDiscreteContainer>()->GetValue() == 1;
    m_observation = MakeBoxContainer(m_states);
    if (m_devices.central)
    {
        DecideSoon(); // after the samples of other flows at this instant
    }
    else
    {
        Decide();
    }
}

void
FlowAgentApp::Decide()
{
    if (std::find(m_left.begin(), m_left.end(), false) == m_left.end())
    {
        Terminate();
    }
    else
    {
        InferAction();
    }
}

Ptr<OpenGymSpace>
FlowAgentApp::GetObservationSpace()
{
    return RepeatBox(m_features.GetLow(), m_features.GetHigh(), m_features.GetNames());
}

Ptr<OpenGymSpace>
FlowAgentApp::GetActionSpace()
{
    if (m_actionSpace == "continuous")
    {
        return MakeBoxSpace<float>(m_devices.count, -1, 1);
    }
    return MakeChoices(m_actionSpace == "proportional" ? FlowActions::PROPORTIONAL
                                                       : FlowActions::STEPS);
}

bool
FlowAgentApp::TakesActions(uint32_t flow) const
{
    return !m_left[flow];
}

} // namespace ns3
