// SPDX-License-Identifier: GPL-2.0-only

#include "access-network.h"
#include "point-to-point-links.h"

#include "ns3/internet-stack-helper.h"

namespace ns3
{

/**
 * @brief A link for each device, from its node to its agent's node.
 */
class PointToPointAccess : public AccessNetwork
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    PointToPointAccess(const DeploymentParameters& parameters,
                       const NodeContainer& devices,
                       const NodeContainer& agents)
    {
        InternetStackHelper().Install(SelectWithoutInternet(NodeContainer(devices, agents)));
        PointToPointLinks links(parameters.link, "10.0.0.0");
        for (uint32_t i = 0; i < devices.GetN(); i++)
        {
            const auto ends = links.Connect(devices.Get(i), agents.Get(parameters.GetAgentOf(i)));
            m_deviceAddresses.emplace_back(ends.GetAddress(0));
            m_agentAddresses.push_back(ends.GetAddress(1));
        }
    }
};

namespace
{

const AccessRegistration g_pointToPoint("point-to-point", MakeAccessFactory<PointToPointAccess>());

} // namespace

} // namespace ns3
