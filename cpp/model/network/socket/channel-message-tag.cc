// SPDX-License-Identifier: GPL-2.0-only

#include "private/channel-message-tag.h"

#include "ns3/type-id.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ChannelMessageTag);

TypeId
ChannelMessageTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ChannelMessageTag")
                            .SetParent<Tag>()
                            .SetGroupName("defiance")
                            .AddConstructor<ChannelMessageTag>();
    return tid;
}

void
ChannelMessageTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU64(static_cast<uint64_t>(m_sent.GetTimeStep()));
    buffer.WriteU64(m_transfer);
    buffer.WriteU32(m_part.index);
    buffer.WriteU32(m_part.count);
    buffer.WriteU32(m_kind.size());
    buffer.Write(reinterpret_cast<const uint8_t*>(m_kind.data()), m_kind.size());
}

void
ChannelMessageTag::Deserialize(TagBuffer buffer)
{
    m_sent = TimeStep(buffer.ReadU64());
    m_transfer = buffer.ReadU64();
    m_part.index = buffer.ReadU32();
    m_part.count = buffer.ReadU32();
    m_kind.resize(buffer.ReadU32());
    buffer.Read(reinterpret_cast<uint8_t*>(m_kind.data()), m_kind.size());
}

} // namespace ns3
