// SPDX-License-Identifier: GPL-2.0-only

#include "wifi-signatures.h"

#include "wifi-arguments.h"

#include "ns3/mac48-address.h"

namespace ns3
{

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
    adapters[phy + "PhyTxBeginTracedCallback"] = MakeTraceAdapter<Packets, double>();
    adapters[phy + "PsduTxBeginCallback"] =
        MakeTraceAdapter<WifiConstPsduMap, WifiTxVector, double>();
    adapters[phy + "PhyRxBeginTracedCallback"] =
        MakeTraceAdapter<Packets, RxPowerWattPerChannelBand>();
    adapters[phy + "PhyRxPayloadBeginTracedCallback"] = MakeTraceAdapter<WifiTxVector, Time>();
    adapters[phy + "PhyRxDropTracedCallback"] = MakeTraceAdapter<Packets, WifiPhyRxfailureReason>();
    adapters[phy + "PhyRxPpduDropTracedCallback"] =
        MakeTraceAdapter<Sent, WifiPhyRxfailureReason>();
    adapters[phy + "MonitorSnifferTxTracedCallback"] =
        MakeTraceAdapter<Packets, uint16_t, WifiTxVector, MpduInfo, uint16_t>();
    adapters[phy + "MonitorSnifferRxTracedCallback"] =
        MakeTraceAdapter<Packets, uint16_t, WifiTxVector, MpduInfo, SignalNoiseDbm, uint16_t>();
    adapters["ns3::YansWifiPhy::SignalArrivalCallback"] = MakeTraceAdapter<Sent, double, Time>();
    adapters["ns3::SpectrumWifiPhy::SignalTransmissionCallback"] =
        MakeTraceAdapter<Sent, const WifiTxVector&>();
}

/// @param adapters Adapters to extend by those of the PHY's state.
void
AddPhyState(TraceAdapters& adapters)
{
    const std::string state = "ns3::WifiPhyStateHelper::";
    adapters[state + "StateTracedCallback"] = MakeTraceAdapter<Time, Time, WifiPhyState>();
    adapters[state + "RxOkTracedCallback"] =
        MakeTraceAdapter<Packets, double, WifiMode, WifiPreamble>();
    adapters[state + "RxEndErrorTracedCallback"] = MakeTraceAdapter<Packets, double>();
    adapters[state + "RxOutcomeTracedCallback"] =
        MakeTraceAdapter<Sent, RxSignalInfo, const WifiTxVector&, const std::vector<bool>&>();
    adapters[state + "TxTracedCallback"] =
        MakeTraceAdapter<Packets, WifiMode, WifiPreamble, uint8_t>();
}

/// @param adapters Adapters to extend by those of the MAC.
void
AddMac(TraceAdapters& adapters)
{
    adapters["ns3::WifiMpdu::TracedCallback"] = MakeTraceAdapter<Frames>();
    adapters["ns3::WifiMac::DroppedMpduCallback"] = MakeTraceAdapter<WifiMacDropReason, Frames>();
    adapters["ns3::WifiMac::MpduResponseTimeoutCallback"] =
        MakeTraceAdapter<uint8_t, Frames, const WifiTxVector&>();
    adapters["ns3::WifiMac::PsduResponseTimeoutCallback"] =
        MakeTraceAdapter<uint8_t, Ptr<const WifiPsdu>, const WifiTxVector&>();
    adapters["ns3::ApWifiMac::AssociationCallback"] = MakeTraceAdapter<uint16_t, Mac48Address>();
    adapters["ns3::StaWifiMac::LinkSetupCallback"] = MakeTraceAdapter<uint8_t, Mac48Address>();
    adapters["ns3::Txop::BackoffValueTracedCallback"] = MakeTraceAdapter<uint32_t, uint8_t>();
    adapters["ns3::Txop::CwValueTracedCallback"] = MakeTraceAdapter<uint32_t, uint8_t>();
    adapters["ns3::QosTxop::TxopTracedCallback"] = MakeTraceAdapter<Time, Time, uint8_t>();
    adapters["ns3::WifiRemoteStationManager::PowerChangeTracedCallback"] =
        MakeTraceAdapter<double, double, Mac48Address>();
    adapters["ns3::WifiRemoteStationManager::RateChangeTracedCallback"] =
        MakeTraceAdapter<DataRate, DataRate, Mac48Address>();
}

} // namespace

TraceAdapters
MakeWifiAdapters()
{
    TraceAdapters adapters;
    AddPhy(adapters);
    AddPhyState(adapters);
    AddMac(adapters);
    return adapters;
}

} // namespace ns3
