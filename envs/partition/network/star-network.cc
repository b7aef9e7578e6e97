// SPDX-License-Identifier: GPL-2.0-only

#include "star-network.h"

#include "ns3/error-model.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/node.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"

#include <string>

namespace ns3
{

namespace
{

constexpr uint32_t HEADERS = 30; // bytes of PPP, IPv4 and UDP

/**
 * Have a network device lose packets that it receives.
 *
 * @param device The device.
 * @param loss Probability.
 */
void
LosePackets(Ptr<NetDevice> device, double loss)
{
    if (loss > 0)
    {
        auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        errors->SetRate(loss);
        device->SetAttribute("ReceiveErrorModel", PointerValue(errors));
    }
}

} // namespace

StarNetwork::StarNetwork(uint32_t replicas, const StarParameters& parameters)
    : m_nodes(replicas)
{
    const auto router = CreateObject<Node>();
    InternetStackHelper internet;
    internet.SetIpv6StackInstall(false);
    internet.Install(m_nodes);
    internet.Install(router);
    PointToPointHelper links;
    links.SetDeviceAttribute("DataRate", DataRateValue(parameters.rate));
    links.SetChannelAttribute("Delay", TimeValue(parameters.delay));
    Ipv4StaticRoutingHelper routing;
    for (uint32_t i = 0; i < replicas; i++)
    {
        const auto devices = links.Install(router, m_nodes.Get(i));
        LosePackets(devices.Get(0), parameters.loss);
        LosePackets(devices.Get(1), parameters.loss);
        const auto network = "100.64." + std::to_string(i) + ".0";
        Ipv4AddressHelper addresses(Ipv4Address(network.c_str()), "255.255.255.0");
        const auto interfaces = addresses.Assign(devices);
        m_addresses.push_back(interfaces.GetAddress(1));
        const auto [ipv4, number] = interfaces.Get(1);
        routing.GetStaticRouting(ipv4)->AddNetworkRouteTo("100.64.0.0",
                                                          "255.255.0.0",
                                                          interfaces.GetAddress(0),
                                                          number);
    }
}

const NodeContainer&
StarNetwork::GetNodes() const
{
    return m_nodes;
}

const std::vector<Ipv4Address>&
StarNetwork::GetAddresses() const
{
    return m_addresses;
}

Time
StarNetwork::GetLongestWay(const StarParameters& parameters, uint32_t bytes, uint32_t datagrams)
{
    const auto transmission = parameters.rate.CalculateBytesTxTime(bytes + HEADERS);
    return 2 * parameters.delay + (datagrams + 1) * transmission;
}

} // namespace ns3
