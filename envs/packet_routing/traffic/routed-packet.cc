// SPDX-License-Identifier: GPL-2.0-only

#include "routed-packet.h"

#include "ns3/object-type.h"
#include "ns3/simulator.h"

namespace ns3
{

DEFIANCE_OBJECT(RoutedPacketTag, Tag);

std::optional<RoutedPacket>
RoutedPacket::Read(Ptr<const Packet> packet, const Ipv4Header& header, Stage stage)
{
    RoutedPacketTag tag;
    if (!packet || !packet->PeekPacketTag(tag))
    {
        return std::nullopt;
    }
    auto routed = tag.Get();
    routed.bytes = packet->GetSize() + HEADERS - (stage == ENTERING ? 0 : UDP_HEADER);
    if (stage != ENTERING)
    {
        routed.hops = routed.hopLimit - header.GetTtl() + (stage == RECEIVED ? 1 : 0);
    }
    return routed;
}

void
RoutedPacketTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU64(m_packet.number);
    buffer.WriteU32(m_packet.source);
    buffer.WriteU32(m_packet.destination);
    buffer.WriteU64(m_packet.created.GetNanoSeconds());
    buffer.WriteU8(m_packet.hopLimit);
}

void
RoutedPacketTag::Deserialize(TagBuffer buffer)
{
    m_packet.number = buffer.ReadU64();
    m_packet.source = buffer.ReadU32();
    m_packet.destination = buffer.ReadU32();
    m_packet.created = NanoSeconds(buffer.ReadU64());
    m_packet.hopLimit = buffer.ReadU8();
}

void
PacketLedger::NotifyDelivered(const RoutedPacket& packet)
{
    const auto delay = Simulator::Now() - packet.created;
    if (m_keepsRecords)
    {
        const auto number = static_cast<double>(packet.number);
        const auto created = static_cast<double>(packet.created.GetNanoSeconds());
        const auto taken = static_cast<double>(delay.GetNanoSeconds());
        m_records.insert(m_records.end(),
                         {number,
                          double(packet.source),
                          double(packet.destination),
                          created,
                          taken,
                          double(packet.hops)});
    }
    if (Counts(packet))
    {
        m_totals.delivered++;
        m_totals.delay += delay.GetSeconds();
        m_totals.hops += packet.hops;
    }
}

} // namespace ns3
