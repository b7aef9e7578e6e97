// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_HEADER_H
#define SPLIT_HEADER_H

#include "ns3/header.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"

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

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return BYTES;
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.WriteHtonU32(number);
        start.WriteU8(path);
        start.WriteHtonU32(numberOnPath);
        start.WriteHtonU64(static_cast<uint64_t>(sent.GetNanoSeconds()));
    }

    uint32_t Deserialize(Buffer::Iterator start) override
    {
        number = start.ReadNtohU32();
        path = start.ReadU8();
        numberOnPath = start.ReadNtohU32();
        sent = NanoSeconds(static_cast<int64_t>(start.ReadNtohU64()));
        return BYTES;
    }

    void Print(std::ostream& os) const override
    {
        os << "number=" << number << " path=" << +path << " sent=" << sent.As(Time::S);
    }

    uint32_t number{0};       //!< Number of the packet
    uint8_t path{0};          //!< Number of the path
    uint32_t numberOnPath{0}; //!< Number of the packet on its path
    Time sent;                //!< Time of sending
};

inline DEFIANCE_OBJECT(SplitHeader, Header);

} // namespace ns3

#endif // SPLIT_HEADER_H
