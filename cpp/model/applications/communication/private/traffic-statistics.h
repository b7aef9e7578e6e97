// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_STATISTICS_H
#define TRAFFIC_STATISTICS_H

#include "../rl-application-id.h"

#include "ns3/communication-report.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/net-device.h"
#include "ns3/packet.h"
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
 * @brief Counts the packets of socket channels, and what the links of the network carry.
 *
 * Packets are counted where a node hands them to IP, frames when a device has sent them. Both
 * belong to a channel if their addresses and ports do. Links are the devices that have trace
 * source PhyTxEnd, and a data rate, their own (point-to-point) or of their channel (CSMA); they
 * are found when time begins, or continues. Of a datagram in fragments, those belong to a channel
 * that come behind the first one.
 */
class TrafficStatistics
{
  public:
    TrafficStatistics();

    // Trace sources know it by its address.
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
     * @brief Let go of one end of a channel. Packets that it still sends are counted.
     * @param end this end
     */
    void Unwatch(Ptr<const SocketChannelInterface> end);

    /**
     * @brief Say what was counted.
     * @param until the present time, or when the episode has ended
     * @param report paths and links are added to it
     */
    void Report(Time until, CommunicationReport& report) const;

  private:
    /// Packets from one application to another.
    using Pair = std::pair<RlApplicationId, RlApplicationId>;

    /// One end of a channel.
    struct End
    {
        Pair pair;                                   //!< From here to there
        Ptr<const SocketChannelInterface> interface; //!< The end
    };

    /// A link, and what it has carried.
    struct Link
    {
        CommunicationLinkReport report;      //!< The traffic that it has carried
        std::vector<Ptr<NetDevice>> senders; //!< Its devices
    };

    /// Find nodes and links, and begin to count.
    void Begin();

    /**
     * @brief Count what a device sends, if it is on a link.
     * @param device the device
     */
    void WatchDevice(Ptr<NetDevice> device);

    /**
     * @brief Count a frame.
     * @param link number of the link
     * @param device what has sent it
     * @param frame the frame
     */
    void CountFrame(std::size_t link, NetDevice* device, Ptr<const Packet> frame);

    /**
     * @brief Count a packet that leaves its node.
     * @param header its header
     * @param packet what follows
     * @param interface where it leaves
     */
    void CountIpv4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * @brief Count a packet that leaves its node.
     * @param header its header
     * @param packet what follows
     * @param interface where it leaves
     */
    void CountIpv6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * @brief Count a packet that leaves its node.
     * @param packet the packet
     */
    void CountPacket(Ptr<const Packet> packet);

    /**
     * @brief Find out to which channel a packet belongs.
     * @param packet a packet
     * @param offset where its IP header begins
     * @return what was counted of its channel; null: it belongs to none
     */
    CommunicationPathReport* FindPath(Ptr<const Packet> packet, uint32_t offset);

    /// Note the conversations that the channels have now.
    void Learn();

    Time m_begin;                                    //!< When counting began
    std::vector<End> m_ends;                         //!< Of all channels
    std::map<Pair, CommunicationPathReport> m_paths; //!< The traffic of channels, by name of the
    /// conversation; null: it is of no channel.
    std::unordered_map<std::string, CommunicationPathReport*> m_conversations;
    std::unordered_map<std::string, std::string> m_datagrams; //!< Conversation of fragments
    std::vector<Link> m_links;                                //!< In the order of nodes
};

} // namespace ns3

#endif /* TRAFFIC_STATISTICS_H */
