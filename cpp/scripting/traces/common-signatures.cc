// SPDX-License-Identifier: GPL-2.0-only

#include "trace-arguments.h"
#include "trace-signatures.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/mac48-address.h"
#include "ns3/mobility-model.h"
#include "ns3/ping.h"
#include "ns3/queue-item.h"
#include "ns3/seq-ts-size-header.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-socket.h"

namespace ns3
{

namespace
{

/// @param adapters Adapters to extend by those of traced values: before and now.
void
AddValues(TraceAdapters& adapters)
{
    const std::string prefix = "ns3::TracedValueCallback::";
    adapters[prefix + "Bool"] = MakeTraceAdapter<bool, bool>();
    adapters[prefix + "Int8"] = MakeTraceAdapter<int8_t, int8_t>();
    adapters[prefix + "Uint8"] = MakeTraceAdapter<uint8_t, uint8_t>();
    adapters[prefix + "Int16"] = MakeTraceAdapter<int16_t, int16_t>();
    adapters[prefix + "Uint16"] = MakeTraceAdapter<uint16_t, uint16_t>();
    adapters[prefix + "Int32"] = MakeTraceAdapter<int32_t, int32_t>();
    adapters[prefix + "Uint32"] = MakeTraceAdapter<uint32_t, uint32_t>();
    adapters[prefix + "Int64"] = MakeTraceAdapter<int64_t, int64_t>();
    adapters[prefix + "Uint64"] = MakeTraceAdapter<uint64_t, uint64_t>();
    adapters[prefix + "Double"] = MakeTraceAdapter<double, double>();
    adapters[prefix + "Time"] = MakeTraceAdapter<Time, Time>();
    adapters[prefix + "DataRate"] = MakeTraceAdapter<DataRate, DataRate>();
    adapters[prefix + "SequenceNumber32"] = MakeTraceAdapter<SequenceNumber32, SequenceNumber32>();
    adapters["ns3::SequenceNumber32TracedValueCallback"] =
        MakeTraceAdapter<SequenceNumber32, SequenceNumber32>();
    adapters[prefix + "TcpCongState"] =
        MakeTraceAdapter<TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>();
    adapters[prefix + "EcnState"] =
        MakeTraceAdapter<TcpSocketState::EcnState_t, TcpSocketState::EcnState_t>();
    adapters["ns3::TcpSocketState::TcpCongStatesTracedValueCallback"] =
        MakeTraceAdapter<TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>();
    adapters["ns3::TcpSocketState::EcnStatesTracedValueCallback"] =
        MakeTraceAdapter<TcpSocketState::EcnState_t, TcpSocketState::EcnState_t>();
    adapters["ns3::TcpStatesTracedValueCallback"] =
        MakeTraceAdapter<TcpSocket::TcpStates_t, TcpSocket::TcpStates_t>();
}

/// @param adapters Adapters to extend by those of devices, queues and applications with packets.
void
AddPackets(TraceAdapters& adapters)
{
    using Packets = Ptr<const Packet>;
    adapters["ns3::Packet::TracedCallback"] = MakeTraceAdapter<Packets>();
    adapters["ns3::Packet::AddressTracedCallback"] = MakeTraceAdapter<Packets, const Address&>();
    adapters["ns3::Packet::PacketAddressTracedCallback"] =
        MakeTraceAdapter<Packets, const Address&>();
    adapters["ns3::Packet::TwoAddressTracedCallback"] =
        MakeTraceAdapter<Packets, const Address&, const Address&>();
    adapters["ns3::Packet::Mac48AddressTracedCallback"] = MakeTraceAdapter<Packets, Mac48Address>();
    adapters["ns3::Packet::SizeTracedCallback"] = MakeTraceAdapter<uint32_t, uint32_t>();
    adapters["ns3::Packet::SinrTracedCallback"] = MakeTraceAdapter<Packets, double>();
    adapters["ns3::PacketSink::SeqTsSizeCallback"] =
        MakeTraceAdapter<Packets, const Address&, const Address&, const SeqTsSizeHeader&>();
    adapters["ns3::Application::DelayAddressCallback"] =
        MakeTraceAdapter<const Time&, const Address&>();
    adapters["ns3::Application::StateTransitionCallback"] =
        MakeTraceAdapter<const std::string&, const std::string&>();
    adapters["ns3::QueueDiscItem::TracedCallback"] = MakeTraceAdapter<Ptr<const QueueDiscItem>>();
    // The actual type differs from the declared one.
    adapters["ns3::CobaltQueueDisc/DropNext"] = MakeTraceAdapter<int64_t, int64_t>();
    // These signatures declare only the packet.
    for (const auto* name : {"DropBeforeEnqueue", "DropAfterDequeue", "Mark"})
    {
        adapters[std::string("ns3::QueueDisc/") + name] =
            MakeTraceAdapter<Ptr<const QueueDiscItem>, const char*>();
    }
}

/// @param adapters Adapters to extend by those of IP and TCP.
void
AddInternet(TraceAdapters& adapters)
{
    using Packets = Ptr<const Packet>;
    adapters["ns3::Ipv4L3Protocol::TxRxTracedCallback"] =
        MakeTraceAdapter<Packets, Ptr<Ipv4>, uint32_t>();
    adapters["ns3::Ipv6L3Protocol::TxRxTracedCallback"] =
        MakeTraceAdapter<Packets, Ptr<Ipv6>, uint32_t>();
    adapters["ns3::Ipv4L3Protocol::SentTracedCallback"] =
        MakeTraceAdapter<const Ipv4Header&, Packets, uint32_t>();
    adapters["ns3::Ipv6L3Protocol::SentTracedCallback"] =
        MakeTraceAdapter<const Ipv6Header&, Packets, uint32_t>();
    adapters["ns3::Ipv4L3Protocol::DropTracedCallback"] =
        MakeTraceAdapter<const Ipv4Header&,
                         Packets,
                         Ipv4L3Protocol::DropReason,
                         Ptr<Ipv4>,
                         uint32_t>();
    adapters["ns3::Ipv6L3Protocol::DropTracedCallback"] =
        MakeTraceAdapter<const Ipv6Header&,
                         Packets,
                         Ipv6L3Protocol::DropReason,
                         Ptr<Ipv6>,
                         uint32_t>();
    adapters["ns3::TcpDctcp::CongestionEstimateTracedCallback"] =
        MakeTraceAdapter<uint32_t, uint32_t, double>();
    adapters["ns3::TcpSocketBase::TcpTxRxTracedCallback"] =
        MakeTraceAdapter<Packets, const TcpHeader&, Ptr<const TcpSocketBase>>();
    adapters["ns3::TcpSocketBase::RetransmissionCallback"] =
        MakeTraceAdapter<Packets,
                         const TcpHeader&,
                         const Address&,
                         const Address&,
                         Ptr<const TcpSocketBase>>();
}

/// @param adapters Adapters to extend by the others.
void
AddOthers(TraceAdapters& adapters)
{
    adapters["ns3::MobilityModel::TracedCallback"] = MakeTraceAdapter<Ptr<const MobilityModel>>();
    adapters["ns3::Time::TracedCallback"] = MakeTraceAdapter<Time>();
    adapters["ns3::Mac48Address::TracedCallback"] = MakeTraceAdapter<Mac48Address>();
    adapters["ns3::Ping::TxTrace"] = MakeTraceAdapter<uint16_t, Ptr<Packet>>();
    adapters["ns3::Ping::RttTrace"] = MakeTraceAdapter<uint16_t, Time>();
    adapters["ns3::Ping::DropTrace"] = MakeTraceAdapter<uint16_t, Ping::DropReason>();
    adapters["ns3::Ipv4Address::TracedCallback"] = MakeTraceAdapter<const Ipv4Address&>();
    adapters["ns3::Ipv6Address::TracedCallback"] = MakeTraceAdapter<const Ipv6Address&>();
    adapters["ns3::TracedValueCallback::Void"] = MakeTraceAdapter<>();
}

} // namespace

TraceAdapters
MakeCommonAdapters()
{
    TraceAdapters adapters;
    AddValues(adapters);
    AddPackets(adapters);
    AddInternet(adapters);
    AddOthers(adapters);
    return adapters;
}

} // namespace ns3
