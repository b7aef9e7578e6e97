// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTED_PACKET_H
#define ROUTED_PACKET_H

#include "ns3/ipv4-header.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/tag.h"

#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @brief The identity of a packet of the traffic: its number, its source, its destination.
 */
struct RoutedPacket
{
    /// Where a packet is that ns-3 hands over.
    enum Stage
    {
        ENTERING,  //!< It is still without a header of UDP
        RECEIVED,  //!< It has come over a link
        FORWARDED, //!< It goes to a link
    };

    static constexpr uint32_t UDP_HEADER = 8;                //!< In bytes
    static constexpr uint32_t HEADERS = 20 + UDP_HEADER + 2; //!< IP, UDP and PPP, in bytes

    /**
     * Read what it is.
     *
     * @param packet A packet.
     * @param header Its IP header.
     * @param stage Where it is.
     * @return what it is; none: it is no packet of the traffic
     */
    static std::optional<RoutedPacket> Read(Ptr<const Packet> packet,
                                            const Ipv4Header& header,
                                            Stage stage);

    uint64_t number{0};      //!< In the order of creation, over all routers
    uint32_t source{0};      //!< Number of the router where it entered
    uint32_t destination{0}; //!< Number of the router where it leaves
    Time created;            //!< When it entered
    uint32_t bytes{0};       //!< Its size at a link
    uint32_t hops{0};        //!< Links that it has crossed
    uint8_t hopLimit{64};    //!< Links that it crosses at most
};

/**
 * @brief Says what a packet is; it takes no room.
 */
class RoutedPacketTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    RoutedPacketTag() = default;

    /**
     * @param packet The packet's identity.
     */
    explicit RoutedPacketTag(const RoutedPacket& packet);

    const RoutedPacket& Get() const; //!< @return what the packet is; size and hops are not known

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& stream) const override;

  private:
    RoutedPacket m_packet; //!< The packet's identity
};

} // namespace ns3

#endif // ROUTED_PACKET_H
