// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_STATISTICS_H
#define TRAFFIC_STATISTICS_H

#include "../rl-application-id.h"

#include "ns3/communication-report.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket-channel-interface.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Counts the packets of socket channels, and the traffic of links.
 *
 * Packets are counted when a node hands them to IP, frames when a device has sent them. Addresses
 * and ports show their channel. Links are the devices with trace source PhyTxEnd and a data rate,
 * their own (point-to-point) or that of their channel (CSMA); they are found when time begins, or
 * continues. Later fragments of a datagram count for the channel of the first one.
 */
class TrafficStatistics
{
  public:
    TrafficStatistics()
    {
        Simulator::ScheduleNow(&TrafficStatistics::Begin, this);
    }

    // Trace sources hold its address.
    TrafficStatistics(const TrafficStatistics&) = delete;
    TrafficStatistics& operator=(const TrafficStatistics&) = delete;

    /**
     * @brief Count the packets of one end of a channel from now on.
     * @param local the application at this end
     * @param remote the application at the other end
     * @param end this end
     */
    void Watch(RlApplicationId local,
               RlApplicationId remote,
               Ptr<const SocketChannelInterface> end);

    /**
     * @brief Release one end of a channel. Packets that it still sends are counted.
     * @param end this end
     */
    void Unwatch(Ptr<const SocketChannelInterface> end)
    {
        std::erase_if(m_ends, [&end](const auto& other) { return other.interface == end; });
    }

    /**
     * @brief Report the counts.
     * @param until the present time, or the end of the episode
     * @param report report to extend with paths and links
     */
    void Report(Time until, CommunicationReport& report) const;

  private:
    /// Packets from one application to another.
    using Pair = std::pair<RlApplicationId, RlApplicationId>;

    /// One end of a channel.
    struct End
    {
        Pair pair;                                   //!< Sender and receiver
        Ptr<const SocketChannelInterface> interface; //!< The end
    };

    /// A link, and its traffic.
    struct Link
    {
        CommunicationLinkReport report;      //!< Traffic on the link
        std::vector<Ptr<NetDevice>> senders; //!< Devices that send on the link
    };

    /// Find nodes and links, and begin to count.
    void Begin();

    /**
     * @brief Count the traffic of a device, if it is on a link.
     * @param device the device
     */
    void WatchDevice(Ptr<NetDevice> device);

    /**
     * @brief Count a frame.
     * @param link number of the link
     * @param device the sending device
     * @param frame the frame
     */
    void CountFrame(std::size_t link, NetDevice* device, Ptr<const Packet> frame);

    /**
     * @brief Count a packet that leaves its node.
     * @param header header of the packet
     * @param packet the packet after the header
     * @param interface outgoing interface
     */
    void CountIpv4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * @brief Count a packet that leaves its node.
     * @param header header of the packet
     * @param packet the packet after the header
     * @param interface outgoing interface
     */
    void CountIpv6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * @brief Count a packet that leaves its node.
     * @param packet the packet
     */
    void CountPacket(Ptr<const Packet> packet);

    /**
     * @brief Find the channel of a packet.
     * @param packet a packet
     * @param offset offset of its IP header
     * @return the counts of its channel; null: it has no channel
     */
    CommunicationPathReport* FindPath(Ptr<const Packet> packet, uint32_t offset);

    /// Record the present conversations of the channels.
    void Learn();

    Time m_begin;                                    //!< Start of counting
    std::vector<End> m_ends;                         //!< Ends of all channels
    std::map<Pair, CommunicationPathReport> m_paths; //!< The traffic of channels, by name of the
    /// conversation; null: it belongs to no channel.
    std::unordered_map<std::string, CommunicationPathReport*> m_conversations;
    std::unordered_map<std::string, std::string> m_datagrams; //!< Conversations of fragments
    std::vector<Link> m_links;                                //!< Links in the order of nodes
};

} // namespace ns3

#endif /* TRAFFIC_STATISTICS_H */
