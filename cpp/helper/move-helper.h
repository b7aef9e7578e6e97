// SPDX-License-Identifier: GPL-2.0-only

#ifndef MOVE_HELPER_H
#define MOVE_HELPER_H

#include "ns3/abort.h"
#include "ns3/address.h"
#include "ns3/application-mover.h"
#include "ns3/attribute.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rl-application.h"
#include "ns3/simulator.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A move at a given time.
 */
struct ScheduledMove
{
    Time time;         //!< Simulated time of the move
    Ptr<Node> node;    //!< Destination
    Address address{}; //!< Address there; none: found at the node
};

/**
 * @ingroup defiance
 *
 * @brief Installs an ApplicationMover on RlApplications, and schedules moves.
 */
class MoveHelper
{
  public:
    MoveHelper()
        : m_factory("ns3::ApplicationMover")
    {
    }

    /**
     * @brief Set an attribute of movers created from now on.
     * @param name name of the attribute
     * @param value value of the attribute
     */
    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_factory.Set(name, value);
    }

    /**
     * @brief Install a mover, which `application->GetObject<ApplicationMover>()` then finds.
     * @param application an application without a mover
     * @return the mover
     */
    Ptr<ApplicationMover> Install(Ptr<RlApplication> application) const
    {
        NS_ABORT_MSG_IF(!application, "There is no application to move: null was passed");
        NS_ABORT_MSG_IF(application->GetObject<ApplicationMover>(),
                        application->GetId() << " has an ApplicationMover already");
        const auto mover = m_factory.Create<ApplicationMover>();
        application->AggregateObject(mover);
        return mover;
    }

    /**
     * @brief Schedule moves at given times.
     * @param mover mover of the application
     * @param moves the moves, none of them in the past
     */
    static void Schedule(Ptr<ApplicationMover> mover, const std::vector<ScheduledMove>& moves)
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

  private:
    ObjectFactory m_factory; //!< Creates the movers
};

} // namespace ns3

#endif // MOVE_HELPER_H
