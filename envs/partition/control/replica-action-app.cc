// SPDX-License-Identifier: GPL-2.0-only

#include "replica-action-app.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReplicaActionApp);

TypeId
ReplicaActionApp::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ReplicaActionApp")
            .SetParent<ActionApplication>()
            .SetGroupName("defiance")
            .AddConstructor<ReplicaActionApp>()
            .AddAttribute("TickInterval",
                          "Simulated time of a tick.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&ReplicaActionApp::m_tickInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("Ticked",
                            "The simulated time of a tick has passed.",
                            MakeTraceSourceAccessor(&ReplicaActionApp::m_tickedTrace),
                            "ns3::ReplicaActionApp::TickedTracedCallback");
    return tid;
}

void
ReplicaActionApp::SetReplica(Ptr<ReplicaApplication> replica)
{
    m_replica = replica;
}

void
ReplicaActionApp::DoDispose()
{
    m_replica = nullptr;
    ActionApplication::DoDispose();
}

void
ReplicaActionApp::ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action)
{
    const auto command = ReplicaCommand::Decode(action);
    const auto interceptor = m_replica->GetInterceptor();
    for (const auto number : command.dropped)
    {
        interceptor->Discard(number);
    }
    for (const auto number : command.released)
    {
        interceptor->Release(number);
    }
    Switch(command.power);
    if (command.request != 0)
    {
        m_replica->Submit(command.request);
    }
    if (command.power != ReplicaCommand::RESET)
    {
        m_replica->Tick();
    }
    Simulator::Schedule(m_tickInterval, [self = Ptr<ReplicaActionApp>(this), tick = command.tick] {
        self->m_tickedTrace(tick);
    });
}

void
ReplicaActionApp::Switch(ReplicaCommand::Power power)
{
    switch (power)
    {
    case ReplicaCommand::KEEP:
        return;
    case ReplicaCommand::STOP:
        return m_replica->Crash();
    case ReplicaCommand::START:
        return m_replica->Restart();
    case ReplicaCommand::RESET:
        return m_replica->Reset();
    }
}

} // namespace ns3
