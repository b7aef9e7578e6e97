// SPDX-License-Identifier: GPL-2.0-only

#include "numbers-header.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NumbersHeader);

TypeId
NumbersHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NumbersHeader")
                            .SetParent<Header>()
                            .SetGroupName("defiance")
                            .AddConstructor<NumbersHeader>();
    return tid;
}

NumbersHeader::NumbersHeader(std::vector<uint32_t> numbers)
    : m_numbers(std::move(numbers))
{
}

const std::vector<uint32_t>&
NumbersHeader::GetNumbers() const
{
    return m_numbers;
}

TypeId
NumbersHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
NumbersHeader::GetSerializedSize() const
{
    return 4 * (1 + m_numbers.size());
}

void
NumbersHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_numbers.size());
    for (const auto number : m_numbers)
    {
        start.WriteHtonU32(number);
    }
}

uint32_t
NumbersHeader::Deserialize(Buffer::Iterator start)
{
    m_numbers.clear();
    const uint32_t count = start.GetRemainingSize() < 4 ? 0 : start.ReadNtohU32();
    if (start.GetRemainingSize() / 4 < count)
    {
        return 0;
    }
    while (m_numbers.size() < count)
    {
        m_numbers.push_back(start.ReadNtohU32());
    }
    return GetSerializedSize();
}

void
NumbersHeader::Print(std::ostream& os) const
{
    for (const auto number : m_numbers)
    {
        os << " " << number;
    }
}

} // namespace ns3
