// SPDX-License-Identifier: GPL-2.0-only

#include "window-agent-app.h"

#include "ns3/boolean.h"
#include "ns3/opengym-builders.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WindowAgentApp);

TypeId
WindowAgentApp::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WindowAgentApp")
                            .SetParent<AgentApplication>()
                            .SetGroupName("defiance")
                            .AddConstructor<WindowAgentApp>()
                            .AddAttribute("Interval",
                                          "Time between two decisions.",
                                          TimeValue(MilliSeconds(10)),
                                          MakeTimeAccessor(&WindowAgentApp::m_interval),
                                          MakeTimeChecker(NanoSeconds(1)))
                            .AddAttribute("Samples",
                                          "Collision rates that it remembers, one a decision.",
                                          UintegerValue(300),
                                          MakeUintegerAccessor(&WindowAgentApp::m_samples),
                                          MakeUintegerChecker<uint32_t>(CollisionHistory::WINDOWS))
                            .AddAttribute("Continuous",
                                          "Whether an action is a real number.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&WindowAgentApp::m_continuous),
                                          MakeBooleanChecker())
                            .AddAttribute("ObservesActions",
                                          "Whether it observes what it has done.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&WindowAgentApp::m_observesActions),
                                          MakeBooleanChecker());
    return tid;
}

uint32_t
WindowAgentApp::GetWindow(double exponent)
{
    return std::lround(std::exp2(exponent + 4)) - 1;
}

void
WindowAgentApp::SetCell(const CellStatistics& statistics, std::optional<uint32_t> station)
{
    m_statistics = &statistics;
    m_station = station;
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
WindowAgentApp::DoDispose()
{
    m_event.Cancel();
    AgentApplication::DoDispose();
}

void
WindowAgentApp::StartApplication()
{
    AgentApplication::Setup();
    AgentApplication::StartApplication();
    m_history.emplace(m_samples);
    m_observation = Summarise();
    Tick();
}

void
WindowAgentApp::StopApplication()
{
    m_event.Cancel();
    AgentApplication::StopApplication();
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

void
WindowAgentApp::Tick()
{
    m_event = Simulator::Schedule(m_interval, &WindowAgentApp::Tick, this);
    // What arrives in this instant is under way already, or follows an event that is.
    Simulator::ScheduleNow([self = Ptr<WindowAgentApp>(this)] {
        Simulator::ScheduleNow(&WindowAgentApp::Decide, self);
    });
}

void
WindowAgentApp::Decide()
{
    if (m_decided)
    {
        if (m_reported)
        {
            m_history->Add(m_transmissions, m_failures, m_exponent);
        }
        m_transmissions = 0;
        m_failures = 0;
        m_observation = Summarise();
    }
    m_decided = true;
    InferAction();
}

Ptr<OpenGymDataContainer>
WindowAgentApp::Summarise() const
{
    return MakeBoxContainer(m_history->Summarise(m_observesActions));
}

Ptr<OpenGymSpace>
WindowAgentApp::GetObservationSpace()
{
    return MakeBoxSpace<float>(CollisionHistory::WINDOWS * (m_observesActions ? 3 : 2), 0, 1);
}

Ptr<OpenGymSpace>
WindowAgentApp::GetActionSpace()
{
    if (m_continuous)
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
    OpenGymInfo info{{"stations", int64_t{m_statistics->CountJoined()}},
                     {"collision_rate", m_history ? m_history->GetLast() : 0.}};
    if (m_station)
    {
        info["throughput"] = m_statistics->GetThroughput(*m_station);
        info["airtime"] = m_statistics->GetAirtime(*m_station);
        info["window"] = int64_t{m_statistics->GetStations()[*m_station]->GetWindow()};
        return info;
    }
    double throughput = 0;
    double airtime = 0;
    std::vector<float> throughputs;
    std::vector<float> airtimes;
    std::vector<int32_t> windows;
    const auto& stations = m_statistics->GetStations();
    for (uint32_t i = 0; i < stations.size(); i++)
    {
        throughput += m_statistics->GetThroughput(i);
        airtime += m_statistics->GetAirtime(i);
        throughputs.push_back(m_statistics->GetThroughput(i));
        airtimes.push_back(m_statistics->GetAirtime(i));
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
