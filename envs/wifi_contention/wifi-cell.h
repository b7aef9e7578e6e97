// SPDX-License-Identifier: GPL-2.0-only

#ifndef WIFI_CELL_H
#define WIFI_CELL_H

#include "access-network.h"
#include "quiet-infrastructure.h"
#include "saturated-station.h"

#include "ns3/double.h"
#include "ns3/he-phy.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
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

#include <cstdint>
#include <vector>

namespace ns3
{

const Time GUARD_INTERVAL = NanoSeconds(800);
constexpr double RECEIVED_POWER = -34; // in dBm: 16 dBm, and a path loss of 50 dB
constexpr uint32_t MOST_RETRIES = 65535;
constexpr int64_t FIRST_STREAM = 100000; // after those of access networks
constexpr uint32_t LLC_BYTES = 8;

/**
 * @brief Stations, each on its own node, and their access point.
 *
 * 802.11ax on channel 36 (5 GHz, 20 MHz), frames at HeMcs11 with a guard interval of 800 ns, no
 * aggregation, no RTS. All stations receive each other equally well, and retry frames without
 * limit. Beacons are sent only until all stations are associated.
 */
class WifiCell
{
  public:
    /**
     * Build the cell. Nothing is sent before the simulator runs.
     *
     * @param stations Number of stations.
     * @param payload Bytes in a frame, without the headers of LLC and MAC.
     */
    WifiCell(uint32_t stations, uint32_t payload)
        : m_payload(payload),
          m_nodes(stations),
          m_accessPoint(1),
          m_devices(BuildDevices())
    {
        const auto receiver = m_devices.Get(stations);
        for (uint32_t i = 0; i < stations; i++)
        {
            const auto device = DynamicCast<WifiNetDevice>(m_devices.Get(i));
            m_stations.push_back(Create<SaturatedStation>(device, receiver->GetAddress(), payload));
        }
        SaturatedStation::CountAt(receiver, m_stations);
    }

    WifiCell(const WifiCell&) = delete;
    WifiCell& operator=(const WifiCell&) = delete;

    /// Install IPv4 on all nodes, with a default route from stations to the access point.
    void InstallInternet()
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

    /// Wait until all stations are associated.
    void AwaitAssociation()
    {
        NetDeviceContainer stations;
        for (uint32_t i = 0; i < m_nodes.GetN(); i++)
        {
            stations.Add(m_devices.Get(i));
        }
        QuietInfrastructure::AwaitAssociation(stations);
    }

    /// @return nodes of stations
    const NodeContainer& GetNodes() const
    {
        return m_nodes;
    }

    /// @return the access point
    Ptr<Node> GetAccessPoint() const
    {
        return m_accessPoint.Get(0);
    }

    /// @return the stations
    const std::vector<Ptr<SaturatedStation>>& GetStations() const
    {
        return m_stations;
    }

    /// @return bytes in a frame, without headers
    uint32_t GetPayload() const
    {
        return m_payload;
    }

    /**
     * @return the transmission time of a frame, without the acknowledgement
     */
    Time GetFrameTime() const
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

    /**
     * @return the time between two frames of a single station without back-off: frame, SIFS,
     * acknowledgement, AIFS
     */
    Time GetExchangeTime() const
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

  private:
    /**
     * Build network devices.
     *
     * @return devices of stations, the access point's device last
     */
    NetDeviceContainer BuildDevices()
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

    uint32_t m_payload;                            //!< Bytes in a frame
    NodeContainer m_nodes;                         //!< Nodes of stations
    NodeContainer m_accessPoint;                   //!< Node of the access point
    NetDeviceContainer m_devices;                  //!< Devices of stations and access point
    std::vector<Ptr<SaturatedStation>> m_stations; //!< Station on each node
};

} // namespace ns3

#endif // WIFI_CELL_H
