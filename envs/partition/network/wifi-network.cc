// SPDX-License-Identifier: GPL-2.0-only

#include "replica-network.h"

#include "ns3/mobility-helper.h"
#include "ns3/position-allocator.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-helper.h"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace ns3
{

namespace
{

constexpr uint32_t WIFI_HEADERS = 64;    // bytes of 802.11, LLC, IPv4 and UDP
constexpr double RADIUS = 5;             // in m
const DataRate RATE("24Mbps");           // of data frames
const Time OVERHEAD = MicroSeconds(250); // of a frame: spaces, back-off, preambles, acknowledgement

/**
 * @param nodes Nodes with constant positions on a circle.
 */
void
Place(const NodeContainer& nodes)
{
    auto places = CreateObject<ListPositionAllocator>();
    for (uint32_t i = 0; i < nodes.GetN(); i++)
    {
        const auto angle = 2 * std::numbers::pi * i / nodes.GetN();
        places->Add(Vector(RADIUS * std::cos(angle), RADIUS * std::sin(angle), 0));
    }
    MobilityHelper mobility;
    mobility.SetPositionAllocator(places);
    mobility.Install(nodes);
}

/**
 * Build nodes of replicas on a circle of 5 m, in one 802.11a cell without an access point, at 24
 * Mbit/s.
 *
 * A receiver does not acknowledge a frame that it loses, and the frame is repeated up to six times:
 * a partition costs air time, too.
 *
 * @param replicas Number of replicas.
 * @param links Properties of links; only the loss is used, for frames.
 * @return the network
 */
std::unique_ptr<ReplicaNetwork>
BuildWifi(uint32_t replicas, const ReplicaLinks& links)
{
    auto network = std::make_unique<ReplicaNetwork>(replicas);
    Place(network->nodes);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("OfdmRate24Mbps"));
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    const auto devices = wifi.Install(phy, mac, network->nodes);
    for (uint32_t i = 0; i < replicas; i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(devices.Get(i));
        device->GetPhy()->SetPostReceptionErrorModel(network->MakeFilter(links.loss));
        if (!links.pcap.empty())
        {
            phy.EnablePcap(links.GetCapture(i + 1), devices.Get(i), true, true);
        }
    }
    network->AssignAddresses(devices);
    return network;
}

/**
 * @param replicas Number of replicas.
 * @param links The properties of links.
 * @param traffic The frames sent at once.
 * @return a time at which the last datagram has arrived, without retransmissions
 */
Time
BoundWifi(uint32_t replicas, const ReplicaLinks& /* links */, const ReplicaTraffic& traffic)
{
    const auto frame = RATE.CalculateBytesTxTime(traffic.bytes + WIFI_HEADERS) + OVERHEAD;
    return replicas * (replicas - 1) * traffic.datagrams * frame;
}

const auto g_wifi =
    ReplicaTopology::GetAll().emplace("wifi", ReplicaTopology{BuildWifi, BoundWifi});

} // namespace

} // namespace ns3
