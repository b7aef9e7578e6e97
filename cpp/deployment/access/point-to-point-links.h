// SPDX-License-Identifier: GPL-2.0-only

#ifndef POINT_TO_POINT_LINKS_H
#define POINT_TO_POINT_LINKS_H

#include "link-parameters.h"
#include "packet-loss.h"

#include "ns3/data-rate.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/node.h"
#include "ns3/point-to-point-helper.h"

namespace ns3
{

/**
 * @brief Builds links with equal properties, each with its own subnet.
 */
class PointToPointLinks
{
  public:
    /**
     * @param parameters The properties of the links.
     * @param network First network address.
     */
    PointToPointLinks(const LinkParameters& parameters, Ipv4Address network)
        : m_addresses(network, "255.255.255.252"),
          m_loss(parameters.loss)
    {
        m_links.SetDeviceAttribute("DataRate", DataRateValue(parameters.dataRate));
        m_links.SetChannelAttribute("Delay", TimeValue(parameters.delay));
    }

    /**
     * @param one Node with an Internet stack.
     * @param other Another node with an Internet stack.
     * @return both ends of a link between them
     */
    Ipv4InterfaceContainer Connect(Ptr<Node> one, Ptr<Node> other)
    {
        const auto devices = m_links.Install(one, other);
        m_loss.Install(devices);
        const auto ends = m_addresses.Assign(devices);
        m_addresses.NewNetwork();
        return ends;
    }

    /**
     * Connect an agent with its gateway to all other nodes.
     *
     * @param gateway Node of the gateway.
     * @param agent Node of an agent.
     * @return the address of the agent
     */
    Ipv4Address ConnectToGateway(Ptr<Node> gateway, Ptr<Node> agent)
    {
        const auto ends = Connect(gateway, agent);
        const auto [ipv4, interface] = ends.Get(1);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(ends.GetAddress(0),
                                                                          interface);
        return ends.GetAddress(1);
    }

    /**
     * @param stream First random stream to use.
     */
    void AssignStreams(int64_t stream)
    {
        m_loss.AssignStreams(stream);
    }

  private:
    PointToPointHelper m_links;    //!< Builds links
    Ipv4AddressHelper m_addresses; //!< Assigns addresses
    PacketLoss m_loss;             //!< Packet loss at both ends of each link
};

} // namespace ns3

#endif // POINT_TO_POINT_LINKS_H
