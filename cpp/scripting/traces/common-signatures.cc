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
    using Congestion = TcpSocketState::TcpCongState_t;
    using Ecn = TcpSocketState::EcnState_t;
    using Tcp = TcpSocket::TcpStates_t;
    const std::string prefix = "ns3::TracedValueCallback::";
    const std::string tcp = "ns3::TcpSocketState::";
    Add<bool, bool>(adapters, prefix + "Bool");
    Add<int8_t, int8_t>(adapters, prefix + "Int8");
    Add<uint8_t, uint8_t>(adapters, prefix + "Uint8");
    Add<int16_t, int16_t>(adapters, prefix + "Int16");
    Add<uint16_t, uint16_t>(adapters, prefix + "Uint16");
    Add<int32_t, int32_t>(adapters, prefix + "Int32");
    Add<uint32_t, uint32_t>(adapters, prefix + "Uint32");
    Add<int64_t, int64_t>(adapters, prefix + "Int64");
    Add<uint64_t, uint64_t>(adapters, prefix + "Uint64");
    Add<double, double>(adapters, prefix + "Double");
    Add<Time, Time>(adapters, prefix + "Time");
    Add<DataRate, DataRate>(adapters, prefix + "DataRate");
    Add<SequenceNumber32, SequenceNumber32>(adapters, prefix + "SequenceNumber32");
    Add<SequenceNumber32, SequenceNumber32>(adapters, "ns3::SequenceNumber32TracedValueCallback");
    Add<Congestion, Congestion>(adapters, prefix + "TcpCongState");
    Add<Ecn, Ecn>(adapters, prefix + "EcnState");
    Add<Congestion, Congestion>(adapters, tcp + "TcpCongStatesTracedValueCallback");
    Add<Ecn, Ecn>(adapters, tcp + "EcnStatesTracedValueCallback");
    Add<Tcp, Tcp>(adapters, "ns3::TcpStatesTracedValueCallback");
}

/// @param adapters Adapters to extend by those of devices, queues and applications with packets.
void
AddPackets(TraceAdapters& adapters)
{
    using Packets = Ptr<const Packet>;
    Add<Packets>(adapters, "ns3::Packet::TracedCallback");
    Add<Packets, const Address&>(adapters, "ns3::Packet::AddressTracedCallback");
    Add<Packets, const Address&>(adapters, "ns3::Packet::PacketAddressTracedCallback");
    Add<Packets, const Address&, const Address&>(adapters, "ns3::Packet::TwoAddressTracedCallback");
    Add<Packets, Mac48Address>(adapters, "ns3::Packet::Mac48AddressTracedCallback");
    Add<uint32_t, uint32_t>(adapters, "ns3::Packet::SizeTracedCallback");
    Add<Packets, double>(adapters, "ns3::Packet::SinrTracedCallback");
    Add<Packets, const Address&, const Address&, const SeqTsSizeHeader&>(
        adapters,
        "ns3::PacketSink::SeqTsSizeCallback");
    Add<const Time&, const Address&>(adapters, "ns3::Application::DelayAddressCallback");
    Add<const std::string&, const std::string&>(adapters,
                                                "ns3::Application::StateTransitionCallback");
    Add<Ptr<const QueueDiscItem>>(adapters, "ns3::QueueDiscItem::TracedCallback");
    // The actual type differs from the declared one.
    Add<int64_t, int64_t>(adapters, "ns3::CobaltQueueDisc/DropNext");
    // These signatures declare only the packet.
    for (const auto* name : {"DropBeforeEnqueue", "DropAfterDequeue", "Mark"})
    {
        Add<Ptr<const QueueDiscItem>, const char*>(adapters, std::string("ns3::QueueDisc/") + name);
    }
}

/// @param adapters Adapters to extend by those of IP and TCP.
void
AddInternet(TraceAdapters& adapters)
{
    using Packets = Ptr<const Packet>;
    Add<Packets, Ptr<Ipv4>, uint32_t>(adapters, "ns3::Ipv4L3Protocol::TxRxTracedCallback");
    Add<Packets, Ptr<Ipv6>, uint32_t>(adapters, "ns3::Ipv6L3Protocol::TxRxTracedCallback");
    Add<const Ipv4Header&, Packets, uint32_t>(adapters, "ns3::Ipv4L3Protocol::SentTracedCallback");
    Add<const Ipv6Header&, Packets, uint32_t>(adapters, "ns3::Ipv6L3Protocol::SentTracedCallback");
    Add<const Ipv4Header&, Packets, Ipv4L3Protocol::DropReason, Ptr<Ipv4>, uint32_t>(
        adapters,
        "ns3::Ipv4L3Protocol::DropTracedCallback");
    Add<const Ipv6Header&, Packets, Ipv6L3Protocol::DropReason, Ptr<Ipv6>, uint32_t>(
        adapters,
        "ns3::Ipv6L3Protocol::DropTracedCallback");
    Add<uint32_t, uint32_t, double>(adapters, "ns3::TcpDctcp::CongestionEstimateTracedCallback");
    Add<Packets, const TcpHeader&, Ptr<const TcpSocketBase>>(
        adapters,
        "ns3::TcpSocketBase::TcpTxRxTracedCallback");
    Add<Packets, const TcpHeader&, const Address&, const Address&, Ptr<const TcpSocketBase>>(
        adapters,
        "ns3::TcpSocketBase::RetransmissionCallback");
}

/// @param adapters Adapters to extend by the others.
void
AddOthers(TraceAdapters& adapters)
{
    Add<Ptr<const MobilityModel>>(adapters, "ns3::MobilityModel::TracedCallback");
    Add<Time>(adapters, "ns3::Time::TracedCallback");
    Add<Mac48Address>(adapters, "ns3::Mac48Address::TracedCallback");
    Add<uint16_t, Ptr<Packet>>(adapters, "ns3::Ping::TxTrace");
    Add<uint16_t, Time>(adapters, "ns3::Ping::RttTrace");
    Add<uint16_t, Ping::DropReason>(adapters, "ns3::Ping::DropTrace");
    Add<const Ipv4Address&>(adapters, "ns3::Ipv4Address::TracedCallback");
    Add<const Ipv6Address&>(adapters, "ns3::Ipv6Address::TracedCallback");
    Add<>(adapters, "ns3::TracedValueCallback::Void");
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
