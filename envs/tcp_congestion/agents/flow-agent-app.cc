// SPDX-License-Identifier: GPL-2.0-only

#include "flow-agent-app.h"

#include "ns3/opengym-builders.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::array<double, FlowActions::STEPS> FACTORS{0.5, 0.95, 1, 1.05, 2};
constexpr std::array<double, FlowActions::PROPORTIONAL>
    EXPONENTS{-1, -0.5, -0.25, -0.125, 0, 0.125, 0.25, 0.5, 1};
constexpr std::array<int, FlowActions::STEPS> SEGMENTS{0, -1, 0, 1, 0};

} // namespace

void
FlowActions::Execute(Ptr<OpenGymDataContainer> action,
                     bool proportional,
                     IntervalControl& control,
                     uint32_t segmentSize)
{
    const bool paced = control.GetRate() > 0;
    double factor = 1;
    if (const auto step = DynamicCast<OpenGymDiscreteContainer>(action))
    {
        const auto number = step->GetValue();
        factor = proportional ? std::exp2(EXPONENTS[number]) : FACTORS[number];
        if (const auto segments = proportional ? 0 : SEGMENTS[number]; segments != 0 && !paced)
        {
            control.SetWindow(control.GetWindow() + segments * double(segmentSize));
            return;
        }
    }
    else
    {
        const auto exponent = action->GetObject<OpenGymBoxContainer<float>>()->GetValue(0);
        factor = std::exp2(std::clamp(exponent, -1.0F, 1.0F));
    }
    if (paced)
    {
        control.SetRate(control.GetRate() * factor);
    }
    else
    {
        control.SetWindow(control.GetWindow() * factor);
    }
}

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
    std::vector<float> low;
    std::vector<float> high;
    std::vector<std::string> names;
    for (const auto& element : m_features.GetElements())
    {
        low.push_back(element.low);
        high.push_back(element.high);
        names.push_back(element.name);
    }
    return RepeatBox(low, high, names);
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
