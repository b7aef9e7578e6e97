// SPDX-License-Identifier: GPL-2.0-only

#include "flow-agent-app.h"

#include "flow-action-app.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowAgentApp);

TypeId
FlowAgentApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowAgentApp")
            .SetParent<AgentApplication>()
            .SetGroupName("defiance")
            .AddConstructor<FlowAgentApp>()
            .AddAttribute("FirstFlow",
                          "Number of the observation and action application of its first flow.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&FlowAgentApp::m_firstFlow),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Flows",
                          "How many flows, one after the other, it decides for.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&FlowAgentApp::m_flows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Central",
                          "Whether an action is one for each flow.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FlowAgentApp::m_central),
                          MakeBooleanChecker())
            .AddAttribute("Continuous",
                          "Whether windows and rates are multiplied, rather than changed in steps.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FlowAgentApp::m_continuous),
                          MakeBooleanChecker());
    return tid;
}

void
FlowAgentApp::DoDispose()
{
    m_decideEvent.Cancel();
    m_report = nullptr;
    AgentApplication::DoDispose();
}

void
FlowAgentApp::SetBounds(const std::vector<float>& high)
{
    m_high = high;
}

void
FlowAgentApp::SetReport(std::function<OpenGymInfo()> report)
{
    m_report = std::move(report);
}

void
FlowAgentApp::Setup()
{
    AgentApplication::Setup();
    m_states.resize(m_high.size() * m_flows);
    m_left.resize(m_flows);
}

void
FlowAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto& state = sample->Get("state")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    const auto flow = remoteAppId - m_firstFlow;
    std::copy(state.begin(), state.end(), m_states.begin() + m_high.size() * flow);
    m_left[flow] = sample->Get("left")->GetObject<OpenGymDiscreteContainer>()->GetValue() == 1;
    m_observation = MakeBoxContainer(m_states);
    if (!m_central)
    {
        Decide();
    }
    else if (!m_decideEvent.IsPending())
    {
        // Samples of the other flows that arrive in this instant are under way already.
        m_decideEvent = Simulator::ScheduleNow(&FlowAgentApp::Decide, this);
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

OpenGymInfo
FlowAgentApp::GetExtraInfo()
{
    return m_report ? m_report() : OpenGymInfo();
}

Ptr<OpenGymSpace>
FlowAgentApp::GetObservationSpace()
{
    std::vector<float> high;
    for (uint32_t flow = 0; flow < m_flows; flow++)
    {
        high.insert(high.end(), m_high.begin(), m_high.end());
    }
    return MakeBoxSpace(std::vector<float>(high.size()), high);
}

Ptr<OpenGymSpace>
FlowAgentApp::GetActionSpace()
{
    if (m_continuous)
    {
        return MakeBoxSpace<float>(m_flows, -1, 1);
    }
    if (m_central)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(
            std::vector<int64_t>(m_flows, FlowActionApp::STEPS));
    }
    return MakeDiscreteSpace(FlowActionApp::STEPS);
}

Ptr<OpenGymDataContainer>
FlowAgentApp::GetPart(Ptr<OpenGymDataContainer> action, uint32_t flow) const
{
    if (m_continuous)
    {
        const auto exponents = action->GetObject<OpenGymBoxContainer<float>>();
        return MakeBoxContainer<float>(1, exponents->GetValue(flow));
    }
    return MakeDiscreteContainer(
        action->GetObject<OpenGymMultiDiscreteContainer>()->GetValue(flow));
}

void
FlowAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_central)
    {
        AgentApplication::InitiateAction(action);
        return;
    }
    for (uint32_t flow = 0; flow < m_flows; flow++)
    {
        if (!m_left[flow])
        {
            SendAction(MakeDictContainer("default", GetPart(action, flow)), m_firstFlow + flow);
        }
    }
}

} // namespace ns3
