// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_HEADER_H
#define SPLIT_HEADER_H

#include "ns3/header.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The number of a packet of split traffic, its path, and when it was sent.
 */
class SplitHeader : public Header
{
  public:
    static constexpr uint32_t BYTES = 17; //!< Length

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    uint32_t number{0};       //!< Of the packet among all
    uint8_t path{0};          //!< Number of its path
    uint32_t numberOnPath{0}; //!< Of the packet among those of its path
    Time sent;                //!< When it was sent
};

} // namespace ns3

#endif /* SPLIT_HEADER_H */
