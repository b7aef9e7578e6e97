// SPDX-License-Identifier: GPL-2.0-only

#include "frame-agent-app.h"

#include "ns3/opengym-builders.h"

#include <utility>

namespace ns3
{

FrameAgentApp::FrameAgentApp(Ptr<const LinkStatistics> statistics,
                             const RateFeatures& features,
                             std::function<double()> earn)
    : m_statistics(statistics),
      m_features(features),
      m_earn(std::move(earn))
{
}

void
FrameAgentApp::DoDispose()
{
    m_statistics = nullptr;
    m_earn = nullptr;
    AgentApplication::DoDispose();
}

std::optional<uint32_t>
FrameAgentApp::Decide()
{
    if (HasEnded() || !m_statistics)
    {
        return std::nullopt;
    }
    m_observation = MakeBoxContainer(m_features.Make(*m_statistics));
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
    return MakeBoxSpace(m_features.GetLow(), m_features.GetHigh());
}

Ptr<OpenGymSpace>
FrameAgentApp::GetActionSpace()
{
    return MakeDiscreteSpace(m_statistics->GetTable().GetRows().size());
}

} // namespace ns3
