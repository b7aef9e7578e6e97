// SPDX-License-Identifier: GPL-2.0-only

#include "gateway-access.h"

#include "point-to-point-links.h"

#include "ns3/ipv4-static-routing-helper.h"

namespace ns3
{

void
GatewayAccess::BuildBackhaul(const DeploymentParameters& parameters,
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

void
GatewayAccess::RouteToAgents(const Interface& interface, Ipv4Address nextHop)
{
    const auto& [ipv4, index] = interface;
    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->AddNetworkRouteTo(AGENTS_NETWORK,
                                                                        AGENTS_MASK,
                                                                        nextHop,
                                                                        index);
}

} // namespace ns3
