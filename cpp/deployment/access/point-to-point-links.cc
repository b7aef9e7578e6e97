// SPDX-License-Identifier: GPL-2.0-only

#include "point-to-point-links.h"

#include "ns3/ipv4-static-routing-helper.h"

namespace ns3
{

PointToPointLinks::PointToPointLinks(const LinkParameters& parameters, Ipv4Address network)
    : m_addresses(network, "255.255.255.252"),
      m_loss(parameters.loss)
{
    m_links.SetDeviceAttribute("DataRate", DataRateValue(parameters.dataRate));
    m_links.SetChannelAttribute("Delay", TimeValue(parameters.delay));
}

Ipv4InterfaceContainer
PointToPointLinks::Connect(Ptr<Node> one, Ptr<Node> other)
{
    const auto devices = m_links.Install(one, other);
    m_loss.Install(devices);
    const auto ends = m_addresses.Assign(devices);
    m_addresses.NewNetwork();
    return ends;
}

Ipv4Address
PointToPointLinks::ConnectToGateway(Ptr<Node> gateway, Ptr<Node> agent)
{
    const auto ends = Connect(gateway, agent);
    const auto [ipv4, interface] = ends.Get(1);
    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(ends.GetAddress(0),
                                                                      interface);
    return ends.GetAddress(1);
}

} // namespace ns3
