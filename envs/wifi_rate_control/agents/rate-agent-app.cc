// SPDX-License-Identifier: GPL-2.0-only

#include "rate-agent-app.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RateAgentApp);

TypeId
RateAgentApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RateAgentApp")
            .SetParent<AgentApplication>()
            .SetGroupName("defiance")
            .AddConstructor<RateAgentApp>()
            .AddAttribute("FirstStation",
                          "Number of the observation and action application of its first station.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RateAgentApp::m_firstStation),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Stations",
                          "How many stations, one after the other, it decides for.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RateAgentApp::m_stations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Central",
                          "Whether an action is one for each station.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RateAgentApp::m_central),
                          MakeBooleanChecker());
    return tid;
}

void
RateAgentApp::DoDispose()
{
    m_decideEvent.Cancel();
    m_report = nullptr;
    AgentApplication::DoDispose();
}

void
RateAgentApp::SetSpaces(const std::vector<float>& low,
                        const std::vector<float>& high,
                        int64_t rates)
{
    m_low = low;
    m_high = high;
    m_rates = rates;
}

void
RateAgentApp::SetReport(std::function<OpenGymInfo()> report)
{
    m_report = std::move(report);
}

void
RateAgentApp::Setup()
{
    AgentApplication::Setup();
    m_states.resize(m_low.size() * m_stations);
}

void
RateAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto& state = message->Get("state")->GetObject<OpenGymBoxContainer<float>>()->GetData();
    const auto station = remoteAppId - m_firstStation;
    std::copy(state.begin(), state.end(), m_states.begin() + m_low.size() * station);
    m_observation = MakeBoxContainer(m_states);
    if (!m_decideEvent.IsPending())
    {
        // Rewards, and what other stations say in this instant, are under way already.
        m_decideEvent = Simulator::ScheduleNow([this] { InferAction(); });
    }
}

std::vector<float>
RateAgentApp::Repeat(const std::vector<float>& bounds) const
{
    std::vector<float> all;
    for (uint32_t i = 0; i < m_stations; i++)
    {
        all.insert(all.end(), bounds.begin(), bounds.end());
    }
    return all;
}

Ptr<OpenGymSpace>
RateAgentApp::GetObservationSpace()
{
    return MakeBoxSpace(Repeat(m_low), Repeat(m_high));
}

Ptr<OpenGymSpace>
RateAgentApp::GetActionSpace()
{
    if (m_central)
    {
        return CreateObject<OpenGymMultiDiscreteSpace>(std::vector<int64_t>(m_stations, m_rates));
    }
    return MakeDiscreteSpace(m_rates);
}

void
RateAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    if (!m_central)
    {
        AgentApplication::InitiateAction(action);
        return;
    }
    const auto rates = action->GetObject<OpenGymMultiDiscreteContainer>();
    for (uint32_t i = 0; i < m_stations; i++)
    {
        SendAction(MakeDictContainer("default", MakeDiscreteContainer(rates->GetValue(i))),
                   m_firstStation + i);
    }
}

OpenGymInfo
RateAgentApp::GetExtraInfo()
{
    return m_report ? m_report() : OpenGymInfo();
}

} // namespace ns3
