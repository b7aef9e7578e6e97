// SPDX-License-Identifier: GPL-2.0-only

#include "monitor-clock.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

const Time MonitorClock::SHORTEST = MilliSeconds(1);

MonitorClock::MonitorClock(Time interval, FlowRewards rewards)
    : m_interval(interval),
      m_rewards(std::move(rewards))
{
}

void
MonitorClock::Add(Ptr<TcpFlow> flow, Time propagation)
{
    const uint32_t number = m_flows.size();
    m_flows.push_back(flow);
    m_rewards.Add(flow, propagation);
    if (m_interval.IsZero())
    {
        flow->TraceConnectWithoutContext("Joined",
                                         Callback<void>([this, number]() { ScheduleOne(number); }));
    }
}

void
MonitorClock::Start()
{
    if (m_interval.IsStrictlyPositive())
    {
        Simulator::Schedule(m_interval, &MonitorClock::Tick, this);
    }
}

void
MonitorClock::Tick()
{
    Simulator::Schedule(m_interval, &MonitorClock::Tick, this);
    for (const auto& flow : m_flows)
    {
        if (flow->IsActive())
        {
            flow->CloseInterval();
        }
    }
    for (uint32_t i = 0; i < m_flows.size(); i++)
    {
        if (m_flows[i]->IsActive())
        {
            m_flows[i]->Report(m_rewards.Get(i));
        }
    }
}

void
MonitorClock::TickOne(uint32_t number)
{
    const auto& flow = m_flows[number];
    if (flow->IsActive())
    {
        flow->CloseInterval();
        flow->Report(m_rewards.Get(number));
        ScheduleOne(number);
    }
}

void
MonitorClock::ScheduleOne(uint32_t number)
{
    const auto interval = std::max(SHORTEST, m_flows[number]->GetState()->m_srtt.Get());
    Simulator::Schedule(interval, &MonitorClock::TickOne, this, number);
}

} // namespace ns3
