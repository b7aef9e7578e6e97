// SPDX-License-Identifier: GPL-2.0-only

#include "routed-packet.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoutedPacketTag);

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

TypeId
RoutedPacketTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoutedPacketTag")
                            .SetParent<Tag>()
                            .SetGroupName("defiance")
                            .AddConstructor<RoutedPacketTag>();
    return tid;
}

RoutedPacketTag::RoutedPacketTag(const RoutedPacket& packet)
    : m_packet(packet)
{
}

const RoutedPacket&
RoutedPacketTag::Get() const
{
    return m_packet;
}

TypeId
RoutedPacketTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
RoutedPacketTag::GetSerializedSize() const
{
    return 8 + 4 + 4 + 8 + 1;
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
RoutedPacketTag::Print(std::ostream& stream) const
{
    stream << "packet " << m_packet.number << " from " << m_packet.source << " to "
           << m_packet.destination;
}

} // namespace ns3
