// SPDX-License-Identifier: GPL-2.0-only

#include "flow-agent-app.h"

#include "flow-actions.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <utility>

namespace ns3
{

FlowAgentApp::FlowAgentApp(const AgentDevices& flows, const FlowFeatures& features, bool continuous)
    : DeviceAgentApplication(flows),
      m_features(features),
      m_continuous(continuous),
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
        DecideSoon(); // after the samples of the other flows in this instant
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
    const auto& high = m_features.GetHigh();
    return RepeatBox(std::vector<float>(high.size()), high, m_features.GetNames());
}

Ptr<OpenGymSpace>
FlowAgentApp::GetActionSpace()
{
    if (m_continuous)
    {
        return MakeBoxSpace<float>(m_devices.count, -1, 1);
    }
    return MakeChoices(FlowActions::STEPS);
}

bool
FlowAgentApp::TakesActions(uint32_t flow) const
{
    return !m_left[flow];
}

} // namespace ns3
