// SPDX-License-Identifier: GPL-2.0-only

#include "edge-network.h"

#include "packet-loss.h"

#include "ns3/abort.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/traffic-control-helper.h"

#include <utility>

namespace ns3
{

namespace
{

/**
 * Have a node know the way to an address.
 *
 * @param node The node.
 * @param address The address.
 * @param interface The way.
 */
void
SetRoute(Ptr<Node> node, Ipv4Address address, uint32_t interface)
{
    const auto routing = Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
    for (uint32_t i = 0; i < routing->GetNRoutes(); i++)
    {
        if (routing->GetRoute(i).GetDest() == address)
        {
            routing->RemoveRoute(i);
            break;
        }
    }
    routing->AddHostRouteTo(address, interface);
}

/**
 * @param base First address.
 * @param count How many.
 * @return so many addresses, one after the other
 */
std::vector<Ipv4Address>
MakeAddresses(const char* base, uint32_t count)
{
    std::vector<Ipv4Address> addresses;
    const auto first = Ipv4Address(base).Get();
    for (uint32_t i = 0; i < count; i++)
    {
        addresses.emplace_back(first + i);
    }
    return addresses;
}

} // namespace

EdgeNetwork::EdgeNetwork(const EdgeParameters& parameters,
                         const NodeContainer& carts,
                         const NodeContainer& edges)
    : m_carts(carts),
      m_edges(edges),
      m_cartAddresses(MakeAddresses("10.0.0.1", carts.GetN())),
      m_edgeAddresses(MakeAddresses("10.1.0.1", edges.GetN())),
      m_accessLinks(carts.GetN()),
      m_edgeOfCart(carts.GetN(), 0)
{
    InternetStackHelper().Install(NodeContainer(carts, edges));
    PointToPointHelper access;
    access.SetDeviceAttribute("DataRate", DataRateValue(parameters.carts.dataRate));
    access.SetChannelAttribute("Delay", TimeValue(parameters.carts.delay));
    PacketLoss loss(parameters.carts.loss);
    for (uint32_t cart = 0; cart < carts.GetN(); cart++)
    {
        for (uint32_t edge = 0; edge < edges.GetN(); edge++)
        {
            const auto devices = access.Install(carts.Get(cart), edges.Get(edge));
            loss.Install(devices);
            m_accessLinks[cart].push_back(
                Join(devices, m_cartAddresses[cart], m_edgeAddresses[edge]));
            SetLink(cart, edge, false);
        }
        m_agentAddresses.push_back(m_edgeAddresses[0]);
    }
    BuildBackbone(parameters);
    for (uint32_t cart = 0; cart < carts.GetN(); cart++)
    {
        Attach(cart, 0);
    }
}

EdgeNetwork::Link
EdgeNetwork::Join(const NetDeviceContainer& devices, Ipv4Address one, Ipv4Address other)
{
    std::vector<uint32_t> interfaces;
    for (const auto& [device, address] :
         {std::pair(devices.Get(0), one), std::pair(devices.Get(1), other)})
    {
        const auto ipv4 = device->GetNode()->GetObject<Ipv4>();
        const auto interface = ipv4->AddInterface(device);
        ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
        ipv4->SetUp(interface);
        interfaces.push_back(interface);
    }
    // As Ipv4AddressHelper, which gives each interface an address of its own.
    TrafficControlHelper::Default().Install(devices);
    return {interfaces[0], interfaces[1]};
}

void
EdgeNetwork::BuildBackbone(const EdgeParameters& parameters)
{
    PointToPointHelper hop;
    hop.SetDeviceAttribute("DataRate", DataRateValue(parameters.backboneRate));
    hop.SetChannelAttribute("Delay", TimeValue(parameters.hopDelay));
    for (uint32_t edge = 0; edge + 1 < m_edges.GetN(); edge++)
    {
        m_backbone.push_back(Join(hop.Install(m_edges.Get(edge), m_edges.Get(edge + 1)),
                                  m_edgeAddresses[edge],
                                  m_edgeAddresses[edge + 1]));
    }
    for (uint32_t from = 0; from < m_edges.GetN(); from++)
    {
        for (uint32_t to = 0; to < m_edges.GetN(); to++)
        {
            if (from != to)
            {
                SetRoute(m_edges.Get(from), m_edgeAddresses[to], GetInterfaceTowards(from, to));
            }
        }
    }
}

uint32_t
EdgeNetwork::GetInterfaceTowards(uint32_t from, uint32_t to) const
{
    return from < to ? m_backbone[from].one : m_backbone[from - 1].other;
}

void
EdgeNetwork::SetLink(uint32_t cart, uint32_t edge, bool up)
{
    const auto link = m_accessLinks[cart][edge];
    for (const auto& [node, interface] :
         {std::pair(m_carts.Get(cart), link.one), std::pair(m_edges.Get(edge), link.other)})
    {
        const auto ipv4 = node->GetObject<Ipv4>();
        up ? ipv4->SetUp(interface) : ipv4->SetDown(interface);
    }
}

void
EdgeNetwork::Attach(uint32_t cart, uint32_t edge)
{
    SetLink(cart, m_edgeOfCart[cart], false);
    m_edgeOfCart[cart] = edge;
    SetLink(cart, edge, true);
    const auto link = m_accessLinks[cart][edge];
    const auto ipv4 = m_carts.Get(cart)->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(Ipv4Address::GetAny(),
                                                                      link.one);
    for (uint32_t from = 0; from < m_edges.GetN(); from++)
    {
        SetRoute(m_edges.Get(from),
                 m_cartAddresses[cart],
                 from == edge ? link.other : GetInterfaceTowards(from, edge));
    }
}

uint32_t
EdgeNetwork::GetEdgeOfCart(uint32_t cart) const
{
    return m_edgeOfCart[cart];
}

uint32_t
EdgeNetwork::GetNumber(Ptr<const Node> node) const
{
    for (uint32_t edge = 0; edge < m_edges.GetN(); edge++)
    {
        if (m_edges.Get(edge) == node)
        {
            return edge;
        }
    }
    NS_ABORT_MSG("Node " << node->GetId() << " is no edge node");
}

const NodeContainer&
EdgeNetwork::GetEdges() const
{
    return m_edges;
}

} // namespace ns3
