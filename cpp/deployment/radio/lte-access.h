// SPDX-License-Identifier: GPL-2.0-only

#ifndef LTE_ACCESS_H
#define LTE_ACCESS_H

#include "radio-access.h"

#include "ns3/lte-helper.h"
#include "ns3/point-to-point-epc-helper.h"

namespace ns3
{

/**
 * @brief One LTE cell, to which all devices are connected; the gateway is that of its core network.
 */
class LteAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    LteAccess(const DeploymentParameters& parameters,
              const NodeContainer& devices,
              const NodeContainer& agents);

  private:
    /**
     * Connect the devices with the cell.
     *
     * @param devices Nodes of devices.
     * @param cell Node of the base station.
     * @param stream First random stream to use.
     * @return number of streams used
     */
    int64_t BuildCell(const NodeContainer& devices, Ptr<Node> cell, int64_t stream);

    Ptr<PointToPointEpcHelper> m_core; //!< Builds the core network
    Ptr<LteHelper> m_radio;            //!< Builds the cell
};

} // namespace ns3

#endif // LTE_ACCESS_H
