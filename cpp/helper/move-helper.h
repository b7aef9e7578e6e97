// SPDX-License-Identifier: GPL-2.0-only

#ifndef MOVE_HELPER_H
#define MOVE_HELPER_H

#include "ns3/address.h"
#include "ns3/application-mover.h"
#include "ns3/attribute.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rl-application.h"

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
    Time time;         //!< Simulated time at which it begins
    Ptr<Node> node;    //!< Where to
    Address address{}; //!< To use there; without it one of the node's
};

/**
 * @ingroup defiance
 *
 * @brief Gives RlApplications their ApplicationMover, and schedules moves.
 */
class MoveHelper
{
  public:
    MoveHelper();

    /**
     * @brief Set an attribute of the movers that are created from now on.
     * @param name its name
     * @param value its value
     */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Give an application a mover, which `application->GetObject<ApplicationMover>()` finds.
     * @param application the application, which has none yet
     * @return the mover
     */
    Ptr<ApplicationMover> Install(Ptr<RlApplication> application) const;

    /**
     * @brief Have moves begin at given times.
     * @param mover whose
     * @param moves the moves, none of them in the past
     */
    static void Schedule(Ptr<ApplicationMover> mover, const std::vector<ScheduledMove>& moves);

  private:
    ObjectFactory m_factory; //!< Creates the movers
};

} // namespace ns3

#endif /* MOVE_HELPER_H */
