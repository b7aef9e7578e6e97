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

ReplicaTag::ReplicaTag(uint32_t from, uint32_t to, uint64_t number)
    : m_from(from),
      m_to(to),
      m_number(number)
{
}

uint32_t
ReplicaTag::GetFrom() const
{
    return m_from;
}

uint32_t
ReplicaTag::GetTo() const
{
    return m_to;
}

uint64_t
ReplicaTag::GetNumber() const
{
    return m_number;
}

TypeId
ReplicaTag::GetInstanceTypeId() const
{
    return GetTypeId();
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

void
ReplicaTag::Print(std::ostream& os) const
{
    os << "message " << m_number << " of replica " << m_from << " to replica " << m_to;
}

} // namespace ns3
