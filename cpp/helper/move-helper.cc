// SPDX-License-Identifier: GPL-2.0-only

#include "move-helper.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

namespace ns3
{

void
MoveHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

Ptr<ApplicationMover>
MoveHelper::Install(Ptr<RlApplication> application) const
{
    NS_ABORT_MSG_IF(!application, "There is no application to move: null was passed");
    NS_ABORT_MSG_IF(application->GetObject<ApplicationMover>(),
                    application->GetId() << " has an ApplicationMover already");
    const auto mover = m_factory.Create<ApplicationMover>();
    application->AggregateObject(mover);
    return mover;
}

void
MoveHelper::Schedule(Ptr<ApplicationMover> mover, const std::vector<ScheduledMove>& moves)
{
    for (const auto& [time, node, address] : moves)
    {
        NS_ABORT_MSG_IF(!node, "A move at " << time.As(Time::S) << " has no node");
        NS_ABORT_MSG_IF(time < Simulator::Now(),
                        "A move at " << time.As(Time::S) << " is in the past: it is "
                                     << Simulator::Now().As(Time::S));
        Simulator::ScheduleWithContext(node->GetId(),
                                       time - Simulator::Now(),
                                       &ApplicationMover::MoveTo,
                                       mover,
                                       node,
                                       address);
    }
}

} // namespace ns3
