// SPDX-License-Identifier: GPL-2.0-only

#ifndef IN_BAND_ACCESS_H
#define IN_BAND_ACCESS_H

#include "gateway-access.h"

namespace ns3
{

/**
 * @brief The network that the environment simulates, with a node of it as gateway to the agents.
 *
 * Devices reach that node by the environment's own routes.
 */
class InBandAccess : public GatewayAccess
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param gateway Node of the simulated network that agents are connected to.
     * @param agents Nodes of agents.
     */
    InBandAccess(const DeploymentParameters& parameters,
                 Ptr<Node> gateway,
                 const NodeContainer& agents);
};

} // namespace ns3

#endif // IN_BAND_ACCESS_H
