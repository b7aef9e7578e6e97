// SPDX-License-Identifier: GPL-2.0-only

#include "point-to-point-access.h"

#include "point-to-point-links.h"

#include "ns3/internet-stack-helper.h"

namespace ns3
{

PointToPointAccess::PointToPointAccess(const CartPoleParameters& parameters,
                                       const NodeContainer& carts,
                                       const NodeContainer& agents)
{
    InternetStackHelper().Install(NodeContainer(carts, agents));
    PointToPointLinks links(parameters, "10.0.0.0");
    for (uint32_t i = 0; i < carts.GetN(); i++)
    {
        const auto ends = links.Connect(carts.Get(i), agents.Get(parameters.GetAgentOf(i)));
        m_agentAddresses.push_back(ends.GetAddress(1));
    }
}

} // namespace ns3
