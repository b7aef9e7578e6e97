// SPDX-License-Identifier: GPL-2.0-only

#ifndef POINT_TO_POINT_ACCESS_H
#define POINT_TO_POINT_ACCESS_H

#include "access-network.h"

namespace ns3
{

/**
 * @brief A link for each device, from its node to that of its agent.
 */
class PointToPointAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    PointToPointAccess(const DeploymentParameters& parameters,
                       const NodeContainer& devices,
                       const NodeContainer& agents);
};

} // namespace ns3

#endif // POINT_TO_POINT_ACCESS_H
