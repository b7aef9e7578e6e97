// SPDX-License-Identifier: GPL-2.0-only

#ifndef GATEWAY_ACCESS_H
#define GATEWAY_ACCESS_H

#include "access-network.h"

namespace ns3
{

/**
 * @brief Agents behind a gateway, each at a point-to-point link.
 */
class GatewayAccess : public AccessNetwork
{
  protected:
    /// Where addresses of agents begin, ...
    static constexpr const char* AGENTS_NETWORK = "172.16.0.0";
    /// ... and which part of them all have in common.
    static constexpr const char* AGENTS_MASK = "255.240.0.0";

    /**
     * @param parameters Parameters of the deployment.
     * @param gateway Node that all agents are connected to.
     * @param agents Nodes of agents.
     * @param stream First random stream to use.
     */
    void BuildBackhaul(const DeploymentParameters& parameters,
                       Ptr<Node> gateway,
                       const NodeContainer& agents,
                       int64_t stream);

    /**
     * Have a device know the way to all agents.
     *
     * @param interface Interface of the device.
     * @param nextHop Address of who is next on the way.
     */
    static void RouteToAgents(const Interface& interface, Ipv4Address nextHop);
};

} // namespace ns3

#endif // GATEWAY_ACCESS_H
