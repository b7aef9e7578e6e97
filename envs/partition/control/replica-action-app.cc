// SPDX-License-Identifier: GPL-2.0-only

#include "replica-action-app.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

ReplicaActionApp::ReplicaActionApp(Ptr<ReplicaApplication> replica,
                                   Ptr<PartitionFilter> filter,
                                   Time tickInterval,
                                   Ticked ticked)
    : m_replica(replica),
      m_filter(filter),
      m_tickInterval(tickInterval),
      m_ticked(std::move(ticked))
{
}

void
ReplicaActionApp::DoDispose()
{
    m_replica = nullptr;
    m_filter = nullptr;
    m_ticked = nullptr;
    ActionApplication::DoDispose();
}

void
ReplicaActionApp::ExecuteAction(uint32_t, Ptr<OpenGymDictContainer> action)
{
    const auto command = ReplicaCommand::Decode(action);
    if (command.crashDraw != 0)
    {
        // Half of all stops come after the messages and before the tick, others at any point.
        const auto before = (command.request != 0) + command.released.size();
        const bool isBeforeTick = command.crashDraw % 2 == 0;
        m_replica->CrashWithin(CountCalls(command), isBeforeTick ? before : command.crashDraw / 2);
    }
    const bool refused = command.request != 0 && !m_replica->Submit(command.request);
    if (command.cuts)
    {
        m_filter->Cut(command.cut);
    }
    const bool isHealed = command.power == ReplicaCommand::HEAL;
    m_filter->SetLossy(!isHealed);
    m_replica->SetDisturbed(!isHealed);
    Handle(command);
    Switch(command);
    if (command.power != ReplicaCommand::RESET)
    {
        m_replica->Tick();
    }
    Simulator::Schedule(m_tickInterval, [self = Ptr<ReplicaActionApp>(this), command, refused] {
        if (command.power == ReplicaCommand::STOP)
        {
            self->m_replica->Crash();
        }
        self->m_ticked(command.tick, refused);
    });
}

uint32_t
ReplicaActionApp::CountCalls(const ReplicaCommand& command) const
{
    const bool arrivesLater = !m_replica->GetInterceptor()->Holds();
    return (command.request != 0) + command.released.size() + 1 +
           (arrivesLater ? m_replica->GetGroupSize() : 0);
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
ReplicaActionApp::Switch(const ReplicaCommand& command)
{
    switch (command.power)
    {
    case ReplicaCommand::KEEP:
        return;
    case ReplicaCommand::STOP:
        if (command.crashDraw == 0)
        {
            m_replica->Crash();
            m_replica->LoseDelayed();
        }
        return;
    case ReplicaCommand::START:
    case ReplicaCommand::HEAL:
        return m_replica->Restart();
    case ReplicaCommand::RESET:
        return m_replica->Reset();
    case ReplicaCommand::BYZANTINE:
        return m_replica->BecomeByzantine();
    }
}

} // namespace ns3
