// SPDX-License-Identifier: GPL-2.0-only

#include "packet-loss.h"
#include "replica-network.h"

#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"

#include <string>

namespace ns3
{

namespace
{

constexpr uint32_t STAR_HEADERS = 30; // bytes of PPP, IPv4 and UDP

/**
 * Build the nodes of replicas, each with a point-to-point link to one router. Link i has the
 * addresses 100.64.i.1 (router) and 100.64.i.2.
 *
 * @param replicas Number of nodes beside the router, at most 250.
 * @param links The properties of links.
 * @return the network
 */
std::unique_ptr<ReplicaNetwork>
BuildStar(uint32_t replicas, const ReplicaLinks& links)
{
    const auto router = CreateObject<Node>();
    auto network = std::make_unique<ReplicaNetwork>(replicas, router);
    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", DataRateValue(links.rate));
    cable.SetChannelAttribute("Delay", TimeValue(links.delay));
    Ipv4StaticRoutingHelper routing;
    PacketLoss loss(links.loss);
    for (uint32_t i = 0; i < replicas; i++)
    {
        const auto devices = cable.Install(router, network->nodes.Get(i));
        loss.Install(devices.Get(0));
        PointerValue sent;
        devices.Get(0)->GetAttribute("ReceiveErrorModel", sent);
        const auto filter = network->MakeFilter(links.loss, sent.Get<ErrorModel>());
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(filter));
        if (!links.pcap.empty())
        {
            cable.EnablePcap(links.GetCapture(i + 1), devices.Get(1), true, true);
        }
        const auto subnet = "100.64." + std::to_string(i) + ".0";
        Ipv4AddressHelper addresses(Ipv4Address(subnet.c_str()), "255.255.255.0");
        const auto interfaces = addresses.Assign(devices);
        network->addresses.push_back(interfaces.GetAddress(1));
        const auto [ipv4, number] = interfaces.Get(1);
        routing.GetStaticRouting(ipv4)->AddNetworkRouteTo("100.64.0.0",
                                                          "255.255.0.0",
                                                          interfaces.GetAddress(0),
                                                          number);
    }
    return network;
}

/**
 * @param replicas Number of replicas.
 * @param links The properties of links.
 * @param traffic The frames sent at once.
 * @return the arrival time of the last datagram
 */
Time
BoundStar(uint32_t replicas, const ReplicaLinks& links, const ReplicaTraffic& traffic)
{
    const auto transmission = links.rate.CalculateBytesTxTime(traffic.bytes + STAR_HEADERS);
    return 2 * links.delay + (replicas * traffic.datagrams + 1) * transmission;
}

const auto g_star =
    ReplicaTopology::GetAll().emplace("star", ReplicaTopology{BuildStar, BoundStar});

} // namespace

} // namespace ns3
