// SPDX-License-Identifier: GPL-2.0-only

#include "wifi-cell.h"

#include "access-network.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/he-phy.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/qos-txop.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac-trailer.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-utils.h"
#include "ns3/yans-wifi-helper.h"

#include <limits>

namespace ns3
{

namespace
{

const Time LONGEST_WAIT = Seconds(60);     // who is not associated by then will never be
const Time LONGEST_LIFE = Hours(24);       // of a frame in a queue
const Time FIRST_BEACON = MilliSeconds(2); // has been received by then
const Time TURN = MilliSeconds(1);         // in which a station associates; all at once never could
const Time BEACON_INTERVAL = MicroSeconds(65535 * 1024); // the longest that there is
const Time GUARD_INTERVAL = NanoSeconds(800);
constexpr double RECEIVED_POWER = -34; // in dBm: 16 dBm, and a path loss of 50 dB
constexpr uint32_t MOST_RETRIES = 65535;
constexpr int64_t FIRST_STREAM = 100000; // behind those of access networks
constexpr uint32_t LLC_BYTES = 8;

} // namespace

WifiCell::WifiCell(uint32_t stations, uint32_t payload)
    : m_payload(payload),
      m_nodes(stations),
      m_accessPoint(1),
      m_devices(BuildDevices()),
      m_detached(stations)
{
    const auto receiver = m_devices.Get(stations);
    for (uint32_t i = 0; i < stations; i++)
    {
        const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(i));
        const auto station = CreateObject<SaturatedStation>();
        station->SetAttribute("Payload", UintegerValue(payload));
        station->Attach(device, receiver->GetAddress());
        m_nodes.Get(i)->AggregateObject(station);
        m_stations.push_back(station);
        m_senders[device->GetAddress()] = station;
        device->GetMac()->TraceConnectWithoutContext("Assoc",
                                                     Callback<void, Mac48Address>([this](auto) {
                                                         if (--m_detached == 0)
                                                         {
                                                             Simulator::Stop();
                                                         }
                                                     }));
    }
    m_accessPoint.Get(0)->RegisterProtocolHandler(MakeCallback(&WifiCell::Receive, this),
                                                  SaturatedStation::PROTOCOL,
                                                  receiver);
}

NetDeviceContainer
WifiCell::BuildDevices()
{
    MobilityHelper mobility; // all at one place
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
    const SsidValue ssid(Ssid("contention"));
    mac.SetType("ns3::StaWifiMac",
                "Ssid",
                ssid,
                "MaxMissedBeacons",
                UintegerValue(std::numeric_limits<uint32_t>::max()));
    auto devices = wifi.Install(phy, mac, m_nodes);
    mac.SetType("ns3::ApWifiMac",
                "Ssid",
                ssid,
                "EnableBeaconJitter",
                BooleanValue(false),
                "BeaconInterval",
                TimeValue(BEACON_INTERVAL));
    devices.Add(wifi.Install(phy, mac, m_accessPoint));
    WifiHelper::AssignStreams(devices, FIRST_STREAM);
    for (auto device = devices.Begin(); device != devices.End(); ++device)
    {
        const auto each = DynamicCast<WifiNetDevice>(*device)->GetMac();
        each->SetAttribute("BE_MaxAmpduSize", UintegerValue(0));
        each->SetAttribute("FrameRetryLimit", UintegerValue(MOST_RETRIES));
        each->GetTxopQueue(AC_BE)->SetMaxDelay(LONGEST_LIFE);
    }
    for (uint32_t i = 0; i < m_nodes.GetN(); i++)
    {
        DynamicCast<WifiNetDevice>(devices.Get(i))
            ->GetMac()
            ->SetAttribute("WaitBeaconTimeout", TimeValue(FIRST_BEACON + i * TURN));
    }
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
    const auto limit = Simulator::Stop(LONGEST_WAIT);
    Simulator::Run();
    NS_ABORT_MSG_UNLESS(m_detached == 0,
                        m_detached << " stations are not associated after "
                                   << LONGEST_WAIT.As(Time::S));
    Simulator::Cancel(limit);
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

void
WifiCell::Receive(Ptr<NetDevice> device,
                  Ptr<const Packet> packet,
                  uint16_t protocol,
                  const Address& from,
                  const Address& to,
                  NetDevice::PacketType type)
{
    m_senders.at(from)->NotifyDelivered();
}

} // namespace ns3
