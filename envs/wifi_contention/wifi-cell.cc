// SPDX-License-Identifier: GPL-2.0-only

#include "wifi-cell.h"

#include "access-network.h"
#include "quiet-infrastructure.h"

#include "ns3/double.h"
#include "ns3/he-phy.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/qos-txop.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-trailer.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-utils.h"
#include "ns3/yans-wifi-helper.h"

namespace ns3
{

namespace
{

const Time GUARD_INTERVAL = NanoSeconds(800);
constexpr double RECEIVED_POWER = -34; // in dBm: 16 dBm, and a path loss of 50 dB
constexpr uint32_t MOST_RETRIES = 65535;
constexpr int64_t FIRST_STREAM = 100000; // after those of access networks
constexpr uint32_t LLC_BYTES = 8;

} // namespace

WifiCell::WifiCell(uint32_t stations, uint32_t payload)
    : m_payload(payload),
      m_nodes(stations),
      m_accessPoint(1),
      m_devices(BuildDevices())
{
    const auto receiver = m_devices.Get(stations);
    for (uint32_t i = 0; i < stations; i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(i));
        const auto station = CreateObject<SaturatedStation>(payload);
        station->Attach(device, receiver->GetAddress());
        m_nodes.Get(i)->AggregateObject(station);
        m_stations.push_back(station);
    }
    SaturatedStation::CountAt(receiver, m_stations);
}

NetDeviceContainer
WifiCell::BuildDevices()
{
    MobilityHelper mobility; // all at one position
    mobility.Install(NodeContainer(m_nodes, m_accessPoint));
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    channel.AddPropagationLoss("ns3::FixedRssLossModel", "Rss", DoubleValue(RECEIVED_POWER));
    YansWifiPhyHelper phy;
    phy.DisablePreambleDetectionModel();
    phy.SetErrorRateModel("ns3::NistErrorRateModel");
    phy.SetChannel(channel.Create());
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211ax);
    wifi.ConfigHeOptions("GuardInterval", TimeValue(GUARD_INTERVAL));
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("HeMcs11"),
                                 "ControlMode",
                                 StringValue("HeMcs11"));
    WifiMacHelper mac;
    const Ssid ssid("contention");
    QuietInfrastructure::ConfigureStations(mac, ssid);
    auto devices = wifi.Install(phy, mac, m_nodes);
    QuietInfrastructure::ConfigureAccessPoint(mac, ssid);
    devices.Add(wifi.Install(phy, mac, m_accessPoint));
    WifiHelper::AssignStreams(devices, FIRST_STREAM);
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        const auto each = DynamicCast<WifiNetDevice>(*device)->GetMac();
        each->SetAttribute("BE_MaxAmpduSize", UintegerValue(0));
        each->SetAttribute("FrameRetryLimit", UintegerValue(MOST_RETRIES));
    }
    QuietInfrastructure::KeepFrames(devices);
    return devices;
}

void
WifiCell::InstallInternet()
{
    AccessNetwork::InstallInternet(NodeContainer(m_nodes, m_accessPoint), FIRST_STREAM / 2);
    const auto interfaces = Ipv4AddressHelper("20.0.0.0", "255.255.0.0").Assign(m_devices);
    const auto gateway = m_nodes.GetN();
    for (uint32_t i = 0; i < gateway; i++)
    {
        const auto [ipv4, interface] = interfaces.Get(i);
        Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(
            interfaces.GetAddress(gateway),
            interface);
        AccessNetwork::Introduce(interfaces.Get(i), interfaces.Get(gateway));
    }
}

void
WifiCell::AwaitAssociation()
{
    NetDeviceContainer stations;
    for (uint32_t i = 0; i < m_nodes.GetN(); i++)
    {
        stations.Add(m_devices.Get(i));
    }
    QuietInfrastructure::AwaitAssociation(stations);
}

const NodeContainer&
WifiCell::GetNodes() const
{
    return m_nodes;
}

Ptr<Node>
WifiCell::GetAccessPoint() const
{
    return m_accessPoint.Get(0);
}

const std::vector<Ptr<SaturatedStation>>&
WifiCell::GetStations() const
{
    return m_stations;
}

uint32_t
WifiCell::GetPayload() const
{
    return m_payload;
}

Time
WifiCell::GetFrameTime() const
{
    const WifiTxVector sent(HePhy::GetHeMcs11(),
                            0,
                            WIFI_PREAMBLE_HE_SU,
                            GUARD_INTERVAL,
                            1,
                            1,
                            0,
                            MHz_u{20},
                            false);
    WifiMacHeader header(WIFI_MAC_QOSDATA);
    header.SetDsTo();
    header.SetDsNotFrom();
    const auto bytes = header.GetSerializedSize() + LLC_BYTES + m_payload + WIFI_MAC_FCS_LENGTH;
    return WifiPhy::CalculateTxDuration(bytes, sent, WIFI_PHY_BAND_5GHZ);
}

Time
WifiCell::GetExchangeTime() const
{
    const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(0));
    const auto phy = device->GetPhy();
    const auto aifsn = device->GetMac()->GetQosTxop(AC_BE)->GetAifsn(0);
    const WifiTxVector answer(OfdmPhy::GetOfdmRate24Mbps(),
                              0,
                              WIFI_PREAMBLE_LONG,
                              GUARD_INTERVAL,
                              1,
                              1,
                              0,
                              MHz_u{20},
                              false);
    const auto acknowledgement =
        WifiPhy::CalculateTxDuration(GetAckSize(), answer, WIFI_PHY_BAND_5GHZ);
    return GetFrameTime() + phy->GetSifs() + acknowledgement + phy->GetSifs() +
           aifsn * phy->GetSlot();
}

} // namespace ns3
