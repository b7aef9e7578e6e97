// SPDX-License-Identifier: GPL-2.0-only

#include "star-network.h"

#include "packet-loss.h"

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

const ReplicaTopology g_star("star", ReplicaTopology::Of<StarNetwork>());

} // namespace

StarNetwork::StarNetwork(uint32_t replicas, const ReplicaLinks& links)
    : StarNetwork(replicas, links, CreateObject<Node>())
{
}

StarNetwork::StarNetwork(uint32_t replicas, const ReplicaLinks& links, Ptr<Node> router)
    : ReplicaNetwork(replicas, router)
{
    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", DataRateValue(links.rate));
    cable.SetChannelAttribute("Delay", TimeValue(links.delay));
    Ipv4StaticRoutingHelper routing;
    PacketLoss loss(links.loss);
    for (uint32_t i = 0; i < replicas; i++)
    {
        const auto devices = cable.Install(router, m_nodes.Get(i));
        loss.Install(devices.Get(0));
        PointerValue sent;
        devices.Get(0)->GetAttribute("ReceiveErrorModel", sent);
        const auto filter = MakeFilter(links.loss, sent.Get<ErrorModel>());
        devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(filter));
        if (!links.pcap.empty())
        {
            cable.EnablePcap(links.GetCapture(i + 1), devices.Get(1), true, true);
        }
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

Time
StarNetwork::GetLongestWay(uint32_t replicas,
                           const ReplicaLinks& links,
                           const ReplicaTraffic& traffic)
{
    const auto transmission = links.rate.CalculateBytesTxTime(traffic.bytes + STAR_HEADERS);
    return 2 * links.delay + (replicas * traffic.datagrams + 1) * transmission;
}

} // namespace ns3
