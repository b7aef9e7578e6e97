// SPDX-License-Identifier: GPL-2.0-only

#ifndef CSMA_ACCESS_H
#define CSMA_ACCESS_H

#include "access-network.h"

namespace ns3
{

/**
 * @brief One Ethernet bus that all devices and agents share: who finds it busy backs off.
 */
class CsmaAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    CsmaAccess(const DeploymentParameters& parameters,
               const NodeContainer& devices,
               const NodeContainer& agents);
};

} // namespace ns3

#endif // CSMA_ACCESS_H
