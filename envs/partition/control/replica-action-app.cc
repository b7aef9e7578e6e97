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
    const bool refused = command.request != 0 && !m_replica->Submit(command.request);
    if (command.cuts)
    {
        m_filter->Cut(command.cut);
    }
    const bool isHealed = command.power == ReplicaCommand::HEAL;
    m_filter->SetLossy(!isHealed);
    m_replica->SetDisturbed(!isHealed);
    Handle(command);
    Switch(command.power);
    if (command.power != ReplicaCommand::RESET)
    {
        m_replica->Tick();
    }
    Simulator::Schedule(m_tickInterval,
                        [self = Ptr<ReplicaActionApp>(this), tick = command.tick, refused] {
                            self->m_ticked(tick, refused);
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
    case ReplicaCommand::HEAL:
        return m_replica->Restart();
    case ReplicaCommand::RESET:
        return m_replica->Reset();
    case ReplicaCommand::BYZANTINE:
        return m_replica->BecomeByzantine();
    }
}

} // namespace ns3
