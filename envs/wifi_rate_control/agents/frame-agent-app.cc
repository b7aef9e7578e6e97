// SPDX-License-Identifier: GPL-2.0-only

#include "frame-agent-app.h"

#include "ns3/opengym-builders.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FrameAgentApp);

TypeId
FrameAgentApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FrameAgentApp")
                            .SetParent<AgentApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<FrameAgentApp>();
    return tid;
}

void
FrameAgentApp::DoDispose()
{
    m_statistics = nullptr;
    m_earn = nullptr;
    m_report = nullptr;
    AgentApplication::DoDispose();
}

void
FrameAgentApp::SetLink(Ptr<const LinkStatistics> statistics, const RateFeatures& features)
{
    m_statistics = statistics;
    m_features = features;
}

void
FrameAgentApp::SetReward(std::function<double()> earn)
{
    m_earn = std::move(earn);
}

void
FrameAgentApp::SetReport(std::function<OpenGymInfo()> report)
{
    m_report = std::move(report);
}

std::optional<uint32_t>
FrameAgentApp::Decide()
{
    if (HasEnded() || !m_statistics)
    {
        return std::nullopt;
    }
    m_observation = MakeBoxContainer(m_features->Make(*m_statistics));
    m_reward += m_earn();
    const auto action = RequestAction();
    if (!action)
    {
        return std::nullopt;
    }
    return action->GetObject<OpenGymDiscreteContainer>()->GetValue();
}

Ptr<OpenGymSpace>
FrameAgentApp::GetObservationSpace()
{
    return MakeBoxSpace(m_features->GetLow(), m_features->GetHigh());
}

Ptr<OpenGymSpace>
FrameAgentApp::GetActionSpace()
{
    return MakeDiscreteSpace(m_statistics->GetTable().GetRows().size());
}

OpenGymInfo
FrameAgentApp::GetExtraInfo()
{
    return m_report ? m_report() : OpenGymInfo();
}

} // namespace ns3
