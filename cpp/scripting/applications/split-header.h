// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_HEADER_H
#define SPLIT_HEADER_H

#include "ns3/header.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Number, path and sending time of a packet of split traffic.
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

    uint32_t number{0};       //!< Number of the packet
    uint8_t path{0};          //!< Number of the path
    uint32_t numberOnPath{0}; //!< Number of the packet on its path
    Time sent;                //!< Time of sending
};

} // namespace ns3

#endif /* SPLIT_HEADER_H */
