// SPDX-License-Identifier: GPL-2.0-only

#include "replica-tag.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReplicaTag);

TypeId
ReplicaTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ReplicaTag")
                            .SetParent<Tag>()
                            .SetGroupName("defiance")
                            .AddConstructor<ReplicaTag>();
    return tid;
}

uint32_t
ReplicaTag::GetSerializedSize() const
{
    return sizeof(m_from) + sizeof(m_to) + sizeof(m_number);
}

void
ReplicaTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU32(m_from);
    buffer.WriteU32(m_to);
    buffer.WriteU64(m_number);
}

void
ReplicaTag::Deserialize(TagBuffer buffer)
{
    m_from = buffer.ReadU32();
    m_to = buffer.ReadU32();
    m_number = buffer.ReadU64();
}

} // namespace ns3
