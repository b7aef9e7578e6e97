// SPDX-License-Identifier: GPL-2.0-only

#include "cart-agent-app.h"

#include "ns3/opengym-builders.h"

#include <limits>

namespace ns3
{

void
CartAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto cart = ReadState(remoteAppId, "state", m_states);
    const auto sample = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    m_falls[cart] = sample->Get("fallen")->GetObject<OpenGymDiscreteContainer>()->GetValue();
    m_observation = MakeObservation(m_states);
    if (m_devices.count == 1)
    {
        Decide();
    }
    else
    {
        DecideSoon(); // after the samples of other carts at this instant
    }
}

Ptr<OpenGymDataContainer>
CartAgentApp::MakeObservation(const std::vector<float>& states) const
{
    return MakeBoxContainer(states);
}

void
CartAgentApp::Decide()
{
    for (uint32_t cart = 0; cart < m_devices.count; cart++)
    {
        if (TakesActions(cart))
        {
            InferAction();
            return;
        }
    }
    Terminate();
}

bool
CartAgentApp::TakesActions(uint32_t cart) const
{
    return m_falls[cart] == 0 || m_rules.restartWhenFallen;
}

OpenGymInfo
CartAgentApp::GetExtraInfo()
{
    if (!m_rules.restartWhenFallen)
    {
        return {};
    }
    if (!m_devices.central)
    {
        return {{"falls", m_falls[0]}};
    }
    return {{"falls", MakeBoxContainer(m_falls)}};
}

Ptr<OpenGymSpace>
CartAgentApp::GetObservationSpace()
{
    constexpr auto infinity = std::numeric_limits<float>::infinity();
    const float x = m_rules.terminateWhenFallen ? 2 * CartPole::X_LIMIT : infinity;
    const float theta = m_rules.terminateWhenFallen ? 2 * CartPole::THETA_LIMIT : infinity;
    return RepeatBox({-x, -infinity, -theta, -infinity},
                     {x, infinity, theta, infinity},
                     {"x", "x_dot", "theta", "theta_dot"});
}

Ptr<OpenGymSpace>
CartAgentApp::GetActionSpace()
{
    return MakeChoices(2);
}

} // namespace ns3
