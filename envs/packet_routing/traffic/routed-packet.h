// SPDX-License-Identifier: GPL-2.0-only

#ifndef ROUTED_PACKET_H
#define ROUTED_PACKET_H

#include "ns3/ipv4-header.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief The identity of a packet of the traffic: its number, its source, its destination.
 */
struct RoutedPacket
{
    static constexpr uint32_t UDP_HEADER = 8;                //!< Size of UDP's header, in bytes
    static constexpr uint32_t HEADERS = 20 + UDP_HEADER + 2; //!< IP, UDP and PPP headers in bytes

    /**
     * Read the identity of a packet.
     *
     * @param packet A packet.
     * @param header IP header of the packet.
     * @param isReceived Whether it came over a link; otherwise it has no UDP header yet.
     * @return the identity; none: the packet is not part of the traffic
     */
    static std::optional<RoutedPacket> Read(Ptr<const Packet> packet,
                                            const Ipv4Header& header,
                                            bool isReceived);

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
    explicit RoutedPacketTag(const RoutedPacket& packet)
        : m_packet(packet)
    {
    }

    /// @return the packet's fields; size and hops are unset
    const RoutedPacket& Get() const
    {
        return m_packet;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return 8 + 4 + 4 + 8 + 1;
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU64(m_packet.number);
        buffer.WriteU32(m_packet.source);
        buffer.WriteU32(m_packet.destination);
        buffer.WriteU64(m_packet.created.GetNanoSeconds());
        buffer.WriteU8(m_packet.hopLimit);
    }

    void Deserialize(TagBuffer buffer) override
    {
        m_packet.number = buffer.ReadU64();
        m_packet.source = buffer.ReadU32();
        m_packet.destination = buffer.ReadU32();
        m_packet.created = NanoSeconds(buffer.ReadU64());
        m_packet.hopLimit = buffer.ReadU8();
    }

    void Print(std::ostream& stream) const override
    {
        stream << "packet " << m_packet.number << " from " << m_packet.source << " to "
               << m_packet.destination;
    }

  private:
    RoutedPacket m_packet; //!< The packet's identity
};

inline DEFIANCE_OBJECT(RoutedPacketTag, Tag);

inline std::optional<RoutedPacket>
RoutedPacket::Read(Ptr<const Packet> packet, const Ipv4Header& header, bool isReceived)
{
    RoutedPacketTag tag;
    if (!packet || !packet->PeekPacketTag(tag))
    {
        return std::nullopt;
    }
    auto routed = tag.Get();
    routed.bytes = packet->GetSize() + HEADERS - (isReceived ? UDP_HEADER : 0);
    routed.hops = isReceived ? routed.hopLimit - header.GetTtl() + 1 : 0;
    return routed;
}

/**
 * @brief The fate of the packets of an episode: numbers and times of arrivals.
 */
class PacketLedger
{
  public:
    /**
     * Counts of packets that entered after the warm-up.
     */
    struct Totals
    {
        int64_t created{0};   //!< Number of created packets
        int64_t delivered{0}; //!< Number of delivered packets
        int64_t lost{0};      //!< Number of lost packets
        double delay{0};      //!< Sum of delays of delivered packets, in s
        int64_t hops{0};      //!< Sum of hops of delivered packets
    };

    /**
     * @param warmUp Earlier packets do not count.
     * @param records Whether to keep a record of each arrival.
     */
    PacketLedger(Time warmUp, bool records)
        : m_warmUp(warmUp),
          m_keepsRecords(records)
    {
    }

    /**
     * @param packet The new packet; its number is set.
     */
    void NotifyCreated(RoutedPacket& packet)
    {
        packet.number = m_next++;
        m_totals.created += Counts(packet) ? 1 : 0;
    }

    /**
     * @param packet The delivered packet.
     */
    void NotifyDelivered(const RoutedPacket& packet)
    {
        const auto delay = Simulator::Now() - packet.created;
        if (m_keepsRecords)
        {
            const auto number = static_cast<double>(packet.number);
            const auto created = static_cast<double>(packet.created.GetNanoSeconds());
            const auto taken = static_cast<double>(delay.GetNanoSeconds());
            m_records.insert(m_records.end(),
                             {number,
                              double(packet.source),
                              double(packet.destination),
                              created,
                              taken,
                              double(packet.hops)});
        }
        if (Counts(packet))
        {
            m_totals.delivered++;
            m_totals.delay += delay.GetSeconds();
            m_totals.hops += packet.hops;
        }
    }

    /**
     * @param packet The lost packet.
     */
    void NotifyLost(const RoutedPacket& packet)
    {
        m_totals.lost += Counts(packet) ? 1 : 0;
    }

    /// @return counts of packets so far
    const Totals& GetTotals() const
    {
        return m_totals;
    }

    /**
     * @return six numbers for each delivered packet, including the warm-up, in the order of
     * arrivals: number, source, destination, time of entry (ns), delay (ns), hops
     */
    const std::vector<double>& GetRecords() const
    {
        return m_records;
    }

    static constexpr std::size_t RECORD = 6; //!< Numbers of a record

  private:
    /**
     * @param packet A packet.
     * @return whether it entered after the warm-up
     */
    bool Counts(const RoutedPacket& packet) const
    {
        return packet.created >= m_warmUp;
    }

    Time m_warmUp;                 //!< Earlier packets do not count
    bool m_keepsRecords;           //!< Whether each arrival is kept
    uint64_t m_next{0};            //!< Number of the next packet
    Totals m_totals;               //!< Counts of packets that count
    std::vector<double> m_records; //!< Records of arrivals
};

} // namespace ns3

#endif // ROUTED_PACKET_H
