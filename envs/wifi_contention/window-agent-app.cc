// SPDX-License-Identifier: GPL-2.0-only

#include "window-agent-app.h"

#include "ns3/opengym-builders.h"

#include <cmath>
#include <utility>
#include <vector>

namespace ns3
{

WindowAgentApp::WindowAgentApp(const WindowChoice& choice,
                               const CellStatistics& statistics,
                               std::optional<uint32_t> station)
    : PeriodicAgentApplication({}, choice.interval),
      m_choice(choice),
      m_statistics(statistics),
      m_station(station)
{
}

uint32_t
WindowAgentApp::GetWindow(double exponent)
{
    return std::lround(std::exp2(exponent + 4)) - 1;
}

void
WindowAgentApp::Setup()
{
    if (m_startTime.IsZero())
    {
        AgentApplication::Setup();
    }
}

void
WindowAgentApp::StartApplication()
{
    AgentApplication::Setup();
    m_history.emplace(m_choice.samples);
    PeriodicAgentApplication::StartApplication();
}

void
WindowAgentApp::OnRecvObs(uint32_t remoteAppId)
{
    const auto message = m_obsDataStruct.GetNewestByID(remoteAppId)->data;
    const auto frames = message->Get("frames")->GetObject<OpenGymBoxContainer<uint32_t>>();
    m_transmissions += frames->GetValue(0);
    m_failures += frames->GetValue(1);
    m_reported = true;
}

Ptr<OpenGymDataContainer>
WindowAgentApp::Summarise()
{
    if (std::exchange(m_decided, true))
    {
        if (m_reported)
        {
            m_history->Add(m_transmissions, m_failures, m_exponent);
        }
        m_transmissions = 0;
        m_failures = 0;
    }
    return MakeBoxContainer(m_history->Summarise(m_choice.observesActions));
}

Ptr<OpenGymSpace>
WindowAgentApp::GetObservationSpace()
{
    return MakeBoxSpace<float>(CollisionHistory::WINDOWS * (m_choice.observesActions ? 3 : 2),
                               0,
                               1);
}

Ptr<OpenGymSpace>
WindowAgentApp::GetActionSpace()
{
    if (m_choice.continuous)
    {
        return MakeBoxSpace<float>(1, 0, EXPONENTS - 1);
    }
    return MakeDiscreteSpace(EXPONENTS);
}

void
WindowAgentApp::InitiateAction(Ptr<OpenGymDataContainer> action)
{
    m_exponent = ReadExponent(action) / (EXPONENTS - 1);
    AgentApplication::InitiateAction(action);
}

double
WindowAgentApp::ReadExponent(Ptr<OpenGymDataContainer> action)
{
    if (const auto box = DynamicCast<OpenGymBoxContainer<float>>(action))
    {
        return box->GetValue(0);
    }
    return action->GetObject<OpenGymDiscreteContainer>()->GetValue();
}

OpenGymInfo
WindowAgentApp::GetExtraInfo()
{
    OpenGymInfo info{{"stations", int64_t{m_statistics.CountJoined()}},
                     {"collision_rate", m_history ? m_history->GetLast() : 0.}};
    if (m_station)
    {
        info["throughput"] = m_statistics.GetThroughput(*m_station);
        info["airtime"] = m_statistics.GetAirtime(*m_station);
        info["window"] = int64_t{m_statistics.GetStations()[*m_station]->GetWindow()};
        return info;
    }
    double throughput = 0;
    double airtime = 0;
    std::vector<float> throughputs;
    std::vector<float> airtimes;
    std::vector<int32_t> windows;
    const auto& stations = m_statistics.GetStations();
    for (uint32_t i = 0; i < stations.size(); i++)
    {
        throughput += m_statistics.GetThroughput(i);
        airtime += m_statistics.GetAirtime(i);
        throughputs.push_back(m_statistics.GetThroughput(i));
        airtimes.push_back(m_statistics.GetAirtime(i));
        windows.push_back(stations[i]->HasJoined() ? stations[i]->GetWindow() : 0);
    }
    info["throughput"] = throughput;
    info["airtime"] = airtime;
    info["window"] = int64_t{windows.front()};
    info["throughputs"] = MakeBoxContainer(std::move(throughputs));
    info["airtimes"] = MakeBoxContainer(std::move(airtimes));
    info["windows"] = MakeBoxContainer(std::move(windows));
    return info;
}

} // namespace ns3
