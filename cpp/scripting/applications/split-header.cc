// SPDX-License-Identifier: GPL-2.0-only

#include "split-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SplitHeader);

TypeId
SplitHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SplitHeader")
                            .SetParent<Header>()
                            .SetGroupName("defiance")
                            .AddConstructor<SplitHeader>();
    return tid;
}

TypeId
SplitHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
SplitHeader::GetSerializedSize() const
{
    return BYTES;
}

void
SplitHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(number);
    start.WriteU8(path);
    start.WriteHtonU32(numberOnPath);
    start.WriteHtonU64(static_cast<uint64_t>(sent.GetNanoSeconds()));
}

uint32_t
SplitHeader::Deserialize(Buffer::Iterator start)
{
    number = start.ReadNtohU32();
    path = start.ReadU8();
    numberOnPath = start.ReadNtohU32();
    sent = NanoSeconds(static_cast<int64_t>(start.ReadNtohU64()));
    return BYTES;
}

void
SplitHeader::Print(std::ostream& os) const
{
    os << "number=" << number << " path=" << +path << " sent=" << sent.As(Time::S);
}

} // namespace ns3
