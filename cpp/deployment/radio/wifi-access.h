// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_ACCESS_H
#define WIFI_ACCESS_H

#include "radio-access.h"

namespace ns3
{

/**
 * @brief One 802.11ax access point, with which all devices associate, and which is the gateway.
 */
class WifiAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    WifiAccess(const DeploymentParameters& parameters,
               const NodeContainer& devices,
               const NodeContainer& agents);
};

} // namespace ns3

#endif // WIFI_ACCESS_H
