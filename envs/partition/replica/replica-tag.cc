// SPDX-License-Identifier: GPL-2.0-only

#include "replica-tag.h"

#include "ns3/object-type.h"

namespace ns3
{

DEFIANCE_OBJECT(ReplicaTag, Tag);

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
