// SPDX-License-Identifier: GPL-2.0-only

#ifndef NUMBERS_HEADER_H
#define NUMBERS_HEADER_H

#include "ns3/header.h"
#include "ns3/object-type.h"

#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief A message that is a list of numbers, for protocols without their own header: the number of
 * numbers, then each number, 4 bytes in network byte order.
 */
class NumbersHeader : public Header
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    NumbersHeader() = default;

    /**
     * @param numbers Content of the header.
     */
    explicit NumbersHeader(std::vector<uint32_t> numbers)
        : m_numbers(std::move(numbers))
    {
    }

    /**
     * @return the content; nothing, if the last header read was truncated
     */
    const std::vector<uint32_t>& GetNumbers() const
    {
        return m_numbers;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 4 * (1 + m_numbers.size());
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.WriteHtonU32(m_numbers.size());
        for (const auto number : m_numbers)
        {
            start.WriteHtonU32(number);
        }
    }

    uint32_t Deserialize(Buffer::Iterator start) override
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

    void Print(std::ostream& os) const override
    {
        for (const auto number : m_numbers)
        {
            os << " " << number;
        }
    }

  private:
    std::vector<uint32_t> m_numbers; //!< Numbers of the header
};

inline DEFIANCE_OBJECT(NumbersHeader, Header);

} // namespace ns3

#endif // NUMBERS_HEADER_H
