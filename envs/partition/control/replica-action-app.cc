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
ReplicaActionApp::SetReplica(Ptr<ReplicaApplication> replica, Ptr<PartitionFilter> filter)
{
    m_replica = replica;
    m_filter = filter;
}

void
ReplicaActionApp::DoDispose()
{
    m_replica = nullptr;
    m_filter = nullptr;
    ActionApplication::DoDispose();
}

void
ReplicaActionApp::ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action)
{
    const auto command = ReplicaCommand::Decode(action);
    const bool refused = command.request != 0 && !m_replica->Submit(command.request);
    if (command.cuts)
    {
        m_filter->Cut(command.cut);
    }
    Handle(command);
    Switch(command.power);
    if (command.power != ReplicaCommand::RESET)
    {
        m_replica->Tick();
    }
    Simulator::Schedule(m_tickInterval,
                        [self = Ptr<ReplicaActionApp>(this), tick = command.tick, refused] {
                            self->m_tickedTrace(tick, refused);
                        });
}

void
ReplicaActionApp::Handle(const ReplicaCommand& command)
{
    const auto interceptor = m_replica->GetInterceptor();
    for (const auto number : command.dropped)
    {
        if (interceptor->GetHeld().contains(number))
        {
            interceptor->Discard(number);
        }
    }
    for (const auto number : command.released)
    {
        if (interceptor->GetHeld().contains(number))
        {
            interceptor->Release(number);
        }
    }
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
    case ReplicaCommand::BYZANTINE:
        return m_replica->BecomeByzantine();
    }
}

} // namespace ns3
