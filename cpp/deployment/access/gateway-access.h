// SPDX-License-Identifier: GPL-2.0-only

#ifndef GATEWAY_ACCESS_H
#define GATEWAY_ACCESS_H

#include "access-network.h"
#include "point-to-point-links.h"

#include "ns3/ipv4-static-routing-helper.h"

namespace ns3
{

/**
 * @brief Agents behind a gateway, each on a point-to-point link.
 */
class GatewayAccess : public AccessNetwork
{
  protected:
    /// Network of the agents' addresses.
    static constexpr const char* AGENTS_NETWORK = "172.16.0.0";
    /// Mask of AGENTS_NETWORK.
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
                       int64_t stream)
    {
        PointToPointLinks links(parameters.link, AGENTS_NETWORK);
        std::vector<Ipv4Address> addresses;
        for (uint32_t i = 0; i < agents.GetN(); i++)
        {
            addresses.push_back(links.ConnectToGateway(gateway, agents.Get(i)));
        }
        links.AssignStreams(stream);
        for (uint32_t i = 0; i < parameters.devices; i++)
        {
            m_agentAddresses.push_back(addresses[parameters.GetAgentOf(i)]);
        }
    }

    /**
     * Add a route from a device to all agents.
     *
     * @param interface Interface of the device.
     * @param nextHop Address of the next hop.
     */
    static void RouteToAgents(const Interface& interface, Ipv4Address nextHop)
    {
        const auto& [ipv4, index] = interface;
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddNetworkRouteTo(AGENTS_NETWORK,
                                                                            AGENTS_MASK,
                                                                            nextHop,
                                                                            index);
    }
};

} // namespace ns3

#endif // GATEWAY_ACCESS_H
