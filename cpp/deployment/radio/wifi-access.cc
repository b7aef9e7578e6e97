// SPDX-License-Identifier: GPL-2.0-only

#include "radio-access.h"

#include "ns3/ipv4-address-helper.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

namespace ns3
{

/**
 * @brief One 802.11ax access point, which is the gateway, and with which all devices associate.
 */
class WifiAccess : public RadioAccess
{
  public:
    /**
     * @param parameters Parameters of the deployment.
     * @param devices Nodes of devices.
     * @param agents Nodes of agents.
     */
    WifiAccess(const DeploymentParameters& parameters,
               const NodeContainer& devices,
               const NodeContainer& agents);
};

namespace
{

const AccessRegistration g_wifi("wifi", MakeAccessFactory<WifiAccess>());

/**
 * @param stations Nodes of stations.
 * @param accessPoint Node of the access point.
 * @return their devices, the access point's device last
 */
NetDeviceContainer
InstallWifi(const NodeContainer& stations, Ptr<Node> accessPoint)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.SetRemoteStationManager("ns3::IdealWifiManager");
    const SsidValue ssid(Ssid("nodes"));
    WifiMacHelper mac;
    mac.SetType("ns3::StaWifiMac", "Ssid", ssid);
    auto devices = wifi.Install(phy, mac, stations);
    mac.SetType("ns3::ApWifiMac", "Ssid", ssid);
    devices.Add(wifi.Install(phy, mac, accessPoint));
    return devices;
}

} // namespace

WifiAccess::WifiAccess(const DeploymentParameters& parameters,
                       const NodeContainer& devices,
                       const NodeContainer& agents)
{
    const NodeContainer accessPoint(1);
    auto stream = FIRST_STREAM;
    stream += InstallInternet(NodeContainer(devices, accessPoint, agents), stream);
    Place(accessPoint.Get(0), devices, parameters.distance);
    const auto netDevices = InstallWifi(devices, accessPoint.Get(0));
    stream += WifiHelper::AssignStreams(netDevices, stream);
    BuildBackhaul(parameters, accessPoint.Get(0), agents, stream);

    const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.0.0").Assign(netDevices);
    const auto gateway = devices.GetN();
    for (uint32_t i = 0; i < devices.GetN(); i++)
    {
        m_deviceAddresses.emplace_back(interfaces.GetAddress(i));
        RouteToAgents(interfaces.Get(i), interfaces.GetAddress(gateway));
        Introduce(interfaces.Get(i), interfaces.Get(gateway));
        ExpectAttachment(i);
        DynamicCast<WifiNetDevice>(netDevices.Get(i))
            ->GetMac()
            ->TraceConnectWithoutContext(
                "Assoc",
                Callback<void, Mac48Address>([this, i](Mac48Address) { NotifyAttached(i); }));
    }
}

} // namespace ns3
