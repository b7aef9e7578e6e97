// SPDX-License-Identifier: GPL-2.0-only

#ifndef NUMBERS_HEADER_H
#define NUMBERS_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>
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
    explicit NumbersHeader(std::vector<uint32_t> numbers);

    /**
     * @return the content; nothing, if the last header read was truncated
     */
    const std::vector<uint32_t>& GetNumbers() const;

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    std::vector<uint32_t> m_numbers; //!< Numbers of the header
};

} // namespace ns3

#endif // NUMBERS_HEADER_H
