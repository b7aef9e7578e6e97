// SPDX-License-Identifier: GPL-2.0-only

#include "rate-agent-app.h"

#include "ns3/opengym-builders.h"

#include <utility>

namespace ns3
{

RateAgentApp::RateAgentApp(const AgentDevices& stations,
                           std::vector<float> low,
                           std::vector<float> high,
                           int64_t rates)
    : DeviceAgentApplication(stations),
      m_low(std::move(low)),
      m_high(std::move(high)),
      m_rates(rates)
{
}

void
RateAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    ReadState(remoteAppId, "state", m_states);
    m_observation = MakeBoxContainer(m_states);
    DecideSoon(); // after the rewards and other messages of this instant
}

Ptr<OpenGymSpace>
RateAgentApp::GetObservationSpace()
{
    return RepeatBox(m_low, m_high);
}

Ptr<OpenGymSpace>
RateAgentApp::GetActionSpace()
{
    return MakeChoices(m_rates);
}

} // namespace ns3
