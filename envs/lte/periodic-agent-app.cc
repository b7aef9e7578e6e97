// SPDX-License-Identifier: GPL-2.0-only

#include "periodic-agent-app.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PeriodicAgentApp);

TypeId
PeriodicAgentApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PeriodicAgentApp")
            .SetParent<AgentApplication>()
            .SetGroupName("defiance")
            .AddAttribute(
                "Interval",
                "Time between two decisions; zero: it decides only at the start and when it is "
                "told to.",
                TimeValue(MilliSeconds(100)),
                MakeTimeAccessor(&PeriodicAgentApp::m_interval),
                MakeTimeChecker(Time(0)));
    return tid;
}

void
PeriodicAgentApp::SetReport(std::function<OpenGymInfo()> report)
{
    m_report = std::move(report);
}

void
PeriodicAgentApp::DoDispose()
{
    m_tick.Cancel();
    m_decision.Cancel();
    m_report = nullptr;
    AgentApplication::DoDispose();
}

void
PeriodicAgentApp::StartApplication()
{
    AgentApplication::StartApplication();
    m_observation = Summarise();
    Tick();
}

void
PeriodicAgentApp::StopApplication()
{
    m_tick.Cancel();
    m_decision.Cancel();
    AgentApplication::StopApplication();
}

void
PeriodicAgentApp::Tick()
{
    if (!m_interval.IsZero())
    {
        m_tick = Simulator::Schedule(m_interval, &PeriodicAgentApp::Tick, this);
    }
    DecideSoon();
}

void
PeriodicAgentApp::DecideSoon()
{
    if (m_decision.IsPending())
    {
        return;
    }
    // What arrives in this instant is under way already, or follows an event that is.
    m_decision = Simulator::ScheduleNow([self = Ptr<PeriodicAgentApp>(this)] {
        self->m_decision = Simulator::ScheduleNow(&PeriodicAgentApp::Decide, self);
    });
}

void
PeriodicAgentApp::Decide()
{
    m_observation = Summarise();
    InferAction();
}

OpenGymInfo
PeriodicAgentApp::GetExtraInfo()
{
    return m_report ? m_report() : OpenGymInfo();
}

} // namespace ns3
