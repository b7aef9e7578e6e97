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
    /// The place of a packet from ns-3.
    enum Stage
    {
        ENTERING,  //!< The packet has no UDP header yet
        RECEIVED,  //!< The packet came over a link
        FORWARDED, //!< The packet leaves for a link
    };

    static constexpr uint32_t UDP_HEADER = 8;                //!< Size of UDP's header, in bytes
    static constexpr uint32_t HEADERS = 20 + UDP_HEADER + 2; //!< IP, UDP and PPP headers in bytes

    /**
     * Read the identity of a packet.
     *
     * @param packet A packet.
     * @param header IP header of the packet.
     * @param stage Place of the packet.
     * @return the identity; none: the packet is not part of the traffic
     */
    static std::optional<RoutedPacket> Read(Ptr<const Packet> packet,
                                            const Ipv4Header& header,
                                            Stage stage);

    uint64_t number{0};      //!< Position in the order of creation
    uint32_t source{0};      //!< Number of the first router
    uint32_t destination{0}; //!< Number of the last router
    Time created;            //!< Time of creation
    uint32_t bytes{0};       //!< Size on a link
    uint32_t hops{0};        //!< Links crossed so far
    uint8_t hopLimit{64};    //!< Maximum number of links
};

/**
 * @brief Carries the identity of a packet, without bytes.
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

    const RoutedPacket& Get() const; //!< @return the packet's fields; size and hops are unset

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
