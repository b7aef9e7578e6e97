// SPDX-License-Identifier: GPL-2.0-only

// Wi-Fi for scenarios in Python: the extension module `_scripting_wifi`.

#include "object-handle.h"
#include "trace-signatures.h"
#include "wifi-arguments.h"

#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/node-list.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-remote-station-manager.h"
#include "ns3/yans-wifi-helper.h"
#include "ns3/yans-wifi-phy.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <regex>

namespace ns3
{

namespace nb = nanobind;

namespace
{

using Packets = Ptr<const Packet>;  //!< Packets of trace sources
using Frames = Ptr<const WifiMpdu>; //!< Frames of trace sources
using Sent = Ptr<const WifiPpdu>;   //!< The frames of a PHY

/// @param adapters Adapters to extend by those of the PHY.
void
AddPhy(TraceAdapters& adapters)
{
    const std::string phy = "ns3::WifiPhy::";
    Add<Packets, double>(adapters, phy + "PhyTxBeginTracedCallback");
    Add<WifiConstPsduMap, WifiTxVector, double>(adapters, phy + "PsduTxBeginCallback");
    Add<Packets, RxPowerWattPerChannelBand>(adapters, phy + "PhyRxBeginTracedCallback");
    Add<WifiTxVector, Time>(adapters, phy + "PhyRxPayloadBeginTracedCallback");
    Add<Packets, WifiPhyRxfailureReason>(adapters, phy + "PhyRxDropTracedCallback");
    Add<Sent, WifiPhyRxfailureReason>(adapters, phy + "PhyRxPpduDropTracedCallback");
    Add<Packets, uint16_t, WifiTxVector, MpduInfo, uint16_t>(adapters,
                                                             phy +
                                                                 "MonitorSnifferTxTracedCallback");
    Add<Packets, uint16_t, WifiTxVector, MpduInfo, SignalNoiseDbm, uint16_t>(
        adapters,
        phy + "MonitorSnifferRxTracedCallback");
    Add<Sent, double, Time>(adapters, "ns3::YansWifiPhy::SignalArrivalCallback");
    Add<Sent, const WifiTxVector&>(adapters, "ns3::SpectrumWifiPhy::SignalTransmissionCallback");
}

/// @param adapters Adapters to extend by those of the PHY's state.
void
AddPhyState(TraceAdapters& adapters)
{
    const std::string state = "ns3::WifiPhyStateHelper::";
    Add<Time, Time, WifiPhyState>(adapters, state + "StateTracedCallback");
    Add<Packets, double, WifiMode, WifiPreamble>(adapters, state + "RxOkTracedCallback");
    Add<Packets, double>(adapters, state + "RxEndErrorTracedCallback");
    Add<Sent, RxSignalInfo, const WifiTxVector&, const std::vector<bool>&>(
        adapters,
        state + "RxOutcomeTracedCallback");
    Add<Packets, WifiMode, WifiPreamble, uint8_t>(adapters, state + "TxTracedCallback");
}

/// @param adapters Adapters to extend by those of the MAC.
void
AddMac(TraceAdapters& adapters)
{
    Add<Frames>(adapters, "ns3::WifiMpdu::TracedCallback");
    Add<WifiMacDropReason, Frames>(adapters, "ns3::WifiMac::DroppedMpduCallback");
    Add<uint8_t, Frames, const WifiTxVector&>(adapters,
                                              "ns3::WifiMac::MpduResponseTimeoutCallback");
    Add<uint8_t, Ptr<const WifiPsdu>, const WifiTxVector&>(
        adapters,
        "ns3::WifiMac::PsduResponseTimeoutCallback");
    Add<uint16_t, Mac48Address>(adapters, "ns3::ApWifiMac::AssociationCallback");
    Add<uint8_t, Mac48Address>(adapters, "ns3::StaWifiMac::LinkSetupCallback");
    Add<uint32_t, uint8_t>(adapters, "ns3::Txop::BackoffValueTracedCallback");
    Add<uint32_t, uint8_t>(adapters, "ns3::Txop::CwValueTracedCallback");
    Add<Time, Time, uint8_t>(adapters, "ns3::QosTxop::TxopTracedCallback");
    Add<double, double, Mac48Address>(adapters,
                                      "ns3::WifiRemoteStationManager::PowerChangeTracedCallback");
    Add<DataRate, DataRate, Mac48Address>(
        adapters,
        "ns3::WifiRemoteStationManager::RateChangeTracedCallback");
}

/** @return adapters for the signatures of the module wifi */
TraceAdapters
MakeWifiAdapters()
{
    TraceAdapters adapters;
    AddPhy(adapters);
    AddPhyState(adapters);
    AddMac(adapters);
    return adapters;
}

/// Standards, by their names in Python.
const std::map<std::string, WifiStandard> STANDARDS{{"802.11a", WIFI_STANDARD_80211a},
                                                    {"802.11b", WIFI_STANDARD_80211b},
                                                    {"802.11g", WIFI_STANDARD_80211g},
                                                    {"802.11n", WIFI_STANDARD_80211n},
                                                    {"802.11ac", WIFI_STANDARD_80211ac},
                                                    {"802.11ax", WIFI_STANDARD_80211ax},
                                                    {"802.11be", WIFI_STANDARD_80211be}};

/**
 * @param numbers Numbers of nodes.
 * @return the nodes
 */
NodeContainer
ToNodes(const std::vector<uint32_t>& numbers)
{
    NodeContainer nodes;
    for (const auto number : numbers)
    {
        nodes.Add(NodeList::GetNode(number));
    }
    return nodes;
}

/**
 * @param text ChannelSettings of the PHY.
 * @return the attribute; raise ValueError if it is invalid, where ns-3 ends the process
 */
Ptr<AttributeValue>
MakeChannel(const std::string& text)
{
    static const std::string segment =
        R"(\{ *\d+, *\d+(\.\d+)?, *BAND_(UNSPECIFIED|2_4GHZ|5GHZ|6GHZ), *\d+\})";
    static const std::regex form(segment + "(;" + segment + ")*");
    TypeId::AttributeInformation info;
    YansWifiPhy::GetTypeId().LookupAttributeByName("ChannelSettings", &info);
    const auto value =
        std::regex_match(text, form) ? info.checker->CreateValidValue(StringValue(text)) : nullptr;
    if (!value)
    {
        RaiseValueError("channel='" + text +
                        "' is not a channel, such as '{36, 20, BAND_5GHZ, 0}'");
    }
    return value;
}

/**
 * Install Wi-Fi: infrastructure with an access point, ad hoc without one.
 *
 * @param stations Numbers of the nodes of stations.
 * @param accessPoints Numbers of the nodes of access points, one or none.
 * @param standard Name of the standard in Python.
 * @param channel ChannelSettings of the PHY, see MakeChannel(); empty: the standard's.
 * @param manager Class of the rate manager.
 * @param managerAttributes Attributes of the rate manager.
 * @param ssid Name of the network.
 * @return node and number of each device, access points last
 */
nb::list
InstallWifi(const std::vector<uint32_t>& stations,
            const std::vector<uint32_t>& accessPoints,
            const std::string& standard,
            const std::string& channel,
            const std::string& manager,
            const std::map<std::string, std::string>& managerAttributes,
            const std::string& ssid)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    if (!channel.empty())
    {
        phy.Set("ChannelSettings", *MakeChannel(channel));
    }
    WifiHelper wifi;
    wifi.SetStandard(STANDARDS.at(standard));
    wifi.SetRemoteStationManager(manager);
    WifiMacHelper mac;
    const SsidValue name{Ssid(ssid)};
    NetDeviceContainer devices;
    if (accessPoints.empty())
    {
        mac.SetType("ns3::AdhocWifiMac");
        devices = wifi.Install(phy, mac, ToNodes(stations));
    }
    else
    {
        mac.SetType("ns3::StaWifiMac", "Ssid", name);
        devices = wifi.Install(phy, mac, ToNodes(stations));
        mac.SetType("ns3::ApWifiMac", "Ssid", name);
        devices.Add(wifi.Install(phy, mac, ToNodes(accessPoints)));
    }
    nb::list list;
    for (uint32_t i = 0; i < devices.GetN(); ++i)
    {
        const auto device = devices.Get(i);
        const auto stationManager = DynamicCast<WifiNetDevice>(device)->GetRemoteStationManager();
        for (const auto& [attribute, value] : managerAttributes)
        {
            stationManager->SetAttribute(attribute, StringValue(value));
        }
        list.append(nb::make_tuple(device->GetNode()->GetId(), device->GetIfIndex()));
    }
    return list;
}

/**
 * @param prefix Prefix of the names of files.
 * @param node Number of a node.
 * @param device Number of the recorded device.
 */
void
RecordPcap(const std::string& prefix, uint32_t node, uint32_t device)
{
    YansWifiPhyHelper helper;
    helper.SetPcapDataLinkType(WifiPhyHelper::DLT_IEEE802_11_RADIO);
    helper.EnablePcap(prefix, NodeList::GetNode(node)->GetDevice(device));
}

} // namespace

} // namespace ns3

NB_MODULE(_scripting_wifi, module)
{
    nanobind::set_leak_warnings(false);
    module.def(
        "trace_adapters",
        [] {
            static ns3::TraceAdapters adapters = ns3::MakeWifiAdapters();
            return nanobind::capsule(&adapters);
        },
        nanobind::sig("def trace_adapters() -> object"),
        "For add_trace_signatures() of _scripting.");
    module.def("install", &ns3::InstallWifi);
    module.def("pcap", &ns3::RecordPcap);
    module.def("standards", [] {
        std::vector<std::string> names;
        for (const auto& [name, standard] : ns3::STANDARDS)
        {
            names.push_back(name);
        }
        return names;
    });
}
