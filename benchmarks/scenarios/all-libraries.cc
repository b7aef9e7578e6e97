// SPDX-License-Identifier: GPL-2.0-only

// The bare exchange in the largest possible program: linked with every library of ns-3, and with an
// idle point-to-point link and Wi-Fi network. It shows the cost of a reset with the warm-up of all
// libraries.

#include "exchange-agents.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/yans-wifi-helper.h"

using namespace ns3;

namespace
{

/**
 * @param nodes Two nodes to connect by a link.
 */
void
BuildLink(const NodeContainer& nodes)
{
    InternetStackHelper().Install(nodes);
    const auto devices = PointToPointHelper().Install(nodes);
    Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
}

/**
 * @param accessPoint Node of the access point, for two stations.
 */
void
BuildWifi(Ptr<Node> accessPoint)
{
    const NodeContainer stations(2);
    MobilityHelper().Install(NodeContainer(accessPoint, stations));
    InternetStackHelper().Install(stations);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiMacHelper mac;
    // Without beacons there are no events.
    mac.SetType("ns3::ApWifiMac", "BeaconGeneration", BooleanValue(false));
    NetDeviceContainer devices = WifiHelper().Install(phy, mac, accessPoint);
    mac.SetType("ns3::StaWifiMac");
    devices.Add(WifiHelper().Install(phy, mac, stations));
    Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(devices);
}

} // namespace

int
main(int argc, char* argv[])
{
    ExchangeParameters parameters;
    RlSimulation simulation("all_libraries");
    parameters.Declare(simulation);
    bool wifi = false;
    simulation.AddValue("wifi", "Whether a Wi-Fi network is built, too.", wifi);
    simulation.AddWarmUp([] { BuildLink(NodeContainer(2)); });
    simulation.Parse(argc, argv);
    const NodeContainer nodes(2);
    BuildLink(nodes);
    if (wifi)
    {
        BuildWifi(nodes.Get(1));
    }
    return RunExchange(simulation, parameters);
}
