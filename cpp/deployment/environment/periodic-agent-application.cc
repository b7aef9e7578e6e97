// SPDX-License-Identifier: GPL-2.0-only

#include "periodic-agent-application.h"

#include "ns3/simulator.h"

namespace ns3
{

void
PeriodicAgentApplication::DoDispose()
{
    m_tick.Cancel();
    DeviceAgentApplication::DoDispose();
}

void
PeriodicAgentApplication::StartApplication()
{
    AgentApplication::StartApplication();
    Tick();
}

void
PeriodicAgentApplication::StopApplication()
{
    m_tick.Cancel();
    m_decision.Cancel();
    AgentApplication::StopApplication();
}

void
PeriodicAgentApplication::Tick()
{
    if (!m_interval.IsZero())
    {
        m_tick = Simulator::Schedule(m_interval, &PeriodicAgentApplication::Tick, this);
    }
    DecideLast();
}

void
PeriodicAgentApplication::DecideLast()
{
    if (m_decision.IsPending())
    {
        return;
    }
    // This instant's messages are scheduled already, or will be by events that are.
    m_decision = Simulator::ScheduleNow([self = Ptr<PeriodicAgentApplication>(this)] {
        self->m_decision = Simulator::ScheduleNow(&PeriodicAgentApplication::Decide, self);
    });
}

void
PeriodicAgentApplication::Decide()
{
    m_observation = Summarise();
    InferAction();
}

} // namespace ns3
