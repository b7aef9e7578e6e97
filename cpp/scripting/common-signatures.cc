// SPDX-License-Identifier: GPL-2.0-only

#include "trace-arguments.h"
#include "trace-signatures.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6.h"
#include "ns3/mac48-address.h"
#include "ns3/mobility-model.h"
#include "ns3/queue-item.h"
#include "ns3/seq-ts-size-header.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-socket.h"
#include "ns3/wifi-phy-common.h"
#include "ns3/wifi-phy-state.h"

namespace ns3
{

namespace
{

/**
 * @tparam T Type of a value that is traced, as callbacks get it.
 * @param signature Of the trace source.
 */
template <typename T>
void
AddValueSignature(const std::string& signature)
{
    AddTraceSignature(signature, MakeTraceAdapter<T, T>());
}

/// Values that are traced: before and now.
void
AddValues()
{
    const std::string prefix = "ns3::TracedValueCallback::";
    AddValueSignature<bool>(prefix + "Bool");
    AddValueSignature<int8_t>(prefix + "Int8");
    AddValueSignature<uint8_t>(prefix + "Uint8");
    AddValueSignature<int16_t>(prefix + "Int16");
    AddValueSignature<uint16_t>(prefix + "Uint16");
    AddValueSignature<int32_t>(prefix + "Int32");
    AddValueSignature<uint32_t>(prefix + "Uint32");
    AddValueSignature<int64_t>(prefix + "Int64");
    AddValueSignature<uint64_t>(prefix + "Uint64");
    AddValueSignature<double>(prefix + "Double");
    AddValueSignature<Time>(prefix + "Time");
    AddValueSignature<DataRate>(prefix + "DataRate");
    AddValueSignature<SequenceNumber32>(prefix + "SequenceNumber32");
    AddValueSignature<SequenceNumber32>("ns3::SequenceNumber32TracedValueCallback");
    AddValueSignature<TcpSocketState::TcpCongState_t>(prefix + "TcpCongState");
    AddValueSignature<TcpSocketState::EcnState_t>(prefix + "EcnState");
    AddValueSignature<TcpSocketState::TcpCongState_t>(
        "ns3::TcpSocketState::TcpCongStatesTracedValueCallback");
    AddValueSignature<TcpSocketState::EcnState_t>(
        "ns3::TcpSocketState::EcnStatesTracedValueCallback");
    AddValueSignature<TcpSocket::TcpStates_t>("ns3::TcpStatesTracedValueCallback");
}

/// What devices, queues and applications tell of packets.
void
AddPackets()
{
    using Packets = Ptr<const Packet>;
    AddTraceSignature("ns3::Packet::TracedCallback", MakeTraceAdapter<Packets>());
    AddTraceSignature("ns3::Packet::AddressTracedCallback",
                      MakeTraceAdapter<Packets, const Address&>());
    AddTraceSignature("ns3::Packet::PacketAddressTracedCallback",
                      MakeTraceAdapter<Packets, const Address&>());
    AddTraceSignature("ns3::Packet::TwoAddressTracedCallback",
                      MakeTraceAdapter<Packets, const Address&, const Address&>());
    AddTraceSignature("ns3::Packet::Mac48AddressTracedCallback",
                      MakeTraceAdapter<Packets, Mac48Address>());
    AddTraceSignature("ns3::Packet::SizeTracedCallback", MakeTraceAdapter<uint32_t, uint32_t>());
    AddTraceSignature("ns3::Packet::SinrTracedCallback", MakeTraceAdapter<Packets, double>());
    AddTraceSignature(
        "ns3::PacketSink::SeqTsSizeCallback",
        MakeTraceAdapter<Packets, const Address&, const Address&, const SeqTsSizeHeader&>());
    AddTraceSignature("ns3::Application::DelayAddressCallback",
                      MakeTraceAdapter<const Time&, const Address&>());
    AddTraceSignature("ns3::Application::StateTransitionCallback",
                      MakeTraceAdapter<const std::string&, const std::string&>());
    AddTraceSignature("ns3::QueueDiscItem::TracedCallback",
                      MakeTraceAdapter<Ptr<const QueueDiscItem>>());
    // These say that they tell the packet alone.
    for (const auto* name : {"DropBeforeEnqueue", "DropAfterDequeue", "Mark"})
    {
        AddTraceSignature(std::string("ns3::QueueDisc/") + name,
                          MakeTraceAdapter<Ptr<const QueueDiscItem>, const char*>());
    }
}

/// What IP and TCP tell.
void
AddInternet()
{
    using Packets = Ptr<const Packet>;
    AddTraceSignature("ns3::Ipv4L3Protocol::TxRxTracedCallback",
                      MakeTraceAdapter<Packets, Ptr<Ipv4>, uint32_t>());
    AddTraceSignature("ns3::Ipv6L3Protocol::TxRxTracedCallback",
                      MakeTraceAdapter<Packets, Ptr<Ipv6>, uint32_t>());
    AddTraceSignature("ns3::Ipv4L3Protocol::SentTracedCallback",
                      MakeTraceAdapter<const Ipv4Header&, Packets, uint32_t>());
    AddTraceSignature("ns3::Ipv6L3Protocol::SentTracedCallback",
                      MakeTraceAdapter<const Ipv6Header&, Packets, uint32_t>());
    AddTraceSignature("ns3::Ipv4L3Protocol::DropTracedCallback",
                      MakeTraceAdapter<const Ipv4Header&,
                                       Packets,
                                       Ipv4L3Protocol::DropReason,
                                       Ptr<Ipv4>,
                                       uint32_t>());
    AddTraceSignature("ns3::TcpSocketBase::TcpTxRxTracedCallback",
                      MakeTraceAdapter<Packets, const TcpHeader&, Ptr<const TcpSocketBase>>());
    AddTraceSignature("ns3::TcpSocketBase::RetransmissionCallback",
                      MakeTraceAdapter<Packets,
                                       const TcpHeader&,
                                       const Address&,
                                       const Address&,
                                       Ptr<const TcpSocketBase>>());
}

/// What Wi-Fi tells without values of types of its own.
void
AddWifi()
{
    using Packets = Ptr<const Packet>;
    AddTraceSignature("ns3::WifiPhy::PhyTxBeginTracedCallback",
                      MakeTraceAdapter<Packets, double>());
    AddTraceSignature("ns3::WifiPhy::PhyRxDropTracedCallback",
                      MakeTraceAdapter<Packets, WifiPhyRxfailureReason>());
    AddTraceSignature("ns3::WifiPhyStateHelper::StateTracedCallback",
                      MakeTraceAdapter<Time, Time, WifiPhyState>());
    AddTraceSignature("ns3::WifiPhyStateHelper::RxEndErrorTracedCallback",
                      MakeTraceAdapter<Packets, double>());
    AddTraceSignature("ns3::ApWifiMac::AssociationCallback",
                      MakeTraceAdapter<uint16_t, Mac48Address>());
    AddTraceSignature("ns3::StaWifiMac::LinkSetupCallback",
                      MakeTraceAdapter<uint8_t, Mac48Address>());
    AddTraceSignature("ns3::Txop::BackoffValueTracedCallback",
                      MakeTraceAdapter<uint32_t, uint8_t>());
    AddTraceSignature("ns3::Txop::CwValueTracedCallback", MakeTraceAdapter<uint32_t, uint8_t>());
    AddTraceSignature("ns3::WifiRemoteStationManager::PowerChangeTracedCallback",
                      MakeTraceAdapter<double, double, Mac48Address>());
    AddTraceSignature("ns3::WifiRemoteStationManager::RateChangeTracedCallback",
                      MakeTraceAdapter<DataRate, DataRate, Mac48Address>());
}

/// The rest.
void
AddOthers()
{
    AddTraceSignature("ns3::MobilityModel::TracedCallback",
                      MakeTraceAdapter<Ptr<const MobilityModel>>());
    AddTraceSignature("ns3::Time::TracedCallback", MakeTraceAdapter<Time>());
    AddTraceSignature("ns3::Mac48Address::TracedCallback", MakeTraceAdapter<Mac48Address>());
    AddTraceSignature("ns3::TracedValueCallback::Void", MakeTraceAdapter<>());
}

} // namespace

void
AddCommonSignatures()
{
    AddValues();
    AddPackets();
    AddInternet();
    AddWifi();
    AddOthers();
}

} // namespace ns3
