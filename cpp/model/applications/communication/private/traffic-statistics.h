// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRAFFIC_STATISTICS_H
#define TRAFFIC_STATISTICS_H

#include "../rl-application-id.h"
#include "recorded-network.h"

#include "ns3/address-utils.h"
#include "ns3/channel.h"
#include "ns3/communication-report.h"
#include "ns3/ethernet-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-extension-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/llc-snap-header.h"
#include "ns3/net-device.h"
#include "ns3/node-list.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket-channel-interface.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
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
    void Watch(RlApplicationId local, RlApplicationId remote, Ptr<const SocketChannelInterface> end)
    {
        const Pair pair{local, remote};
        auto& path = m_paths[pair];
        path.sender = local.ToString();
        path.receiver = remote.ToString();
        m_ends.push_back({pair, end});
    }

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
    void Report(Time until, CommunicationReport& report) const
    {
        for (const auto& [pair, path] : m_paths)
        {
            report.paths.push_back(path);
        }
        for (const auto& link : m_links)
        {
            auto& reported = report.links.emplace_back(link.report);
            reported.counted = until - m_begin;
            std::set<RlApplicationId> applications;
            for (const auto& device : link.senders)
            {
                reported.dataRate = FindDataRate(device)->GetBitRate();
                for (const auto& [pair, end] : m_ends)
                {
                    if (end->GetNode() == device->GetNode())
                    {
                        applications.insert(pair.first);
                    }
                }
            }
            for (const auto& application : applications)
            {
                reported.applications.push_back(application.ToString());
            }
        }
    }

  private:
    /// Packets from one application to another.
    using Pair = std::pair<RlApplicationId, RlApplicationId>;

    /// Source and destination of packets, and their protocol; of conversations with ports.
    using Ends = std::tuple<Address, Address, uint8_t>;

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
    void Begin()
    {
        m_begin = Simulator::Now();
        for (uint32_t i = 0; i < NodeList::GetNNodes(); ++i)
        {
            const auto node = NodeList::GetNode(i);
            if (const auto ipv4 = node->GetObject<Ipv4L3Protocol>())
            {
                ipv4->TraceConnectWithoutContext(
                    "SendOutgoing",
                    MakeCallback(&TrafficStatistics::CountPacket<Ipv4Header>, this));
            }
            if (const auto ipv6 = node->GetObject<Ipv6L3Protocol>())
            {
                ipv6->TraceConnectWithoutContext(
                    "SendOutgoing",
                    MakeCallback(&TrafficStatistics::CountPacket<Ipv6Header>, this));
            }
            for (uint32_t j = 0; j < node->GetNDevices(); ++j)
            {
                WatchDevice(node->GetDevice(j));
            }
        }
    }

    /**
     * @brief Count the traffic of a device, if it is on a link.
     * @param device the device
     */
    void WatchDevice(Ptr<NetDevice> device)
    {
        const auto hasTrace = device->GetInstanceTypeId().LookupTraceSourceByName("PhyTxEnd");
        if (!hasTrace || !device->GetChannel() || !FindDataRate(device))
        {
            return;
        }
        const auto isShared = !device->IsPointToPoint();
        const auto known = std::find_if(m_links.begin(), m_links.end(), [&](const auto& link) {
            return isShared && link.senders.front()->GetChannel() == device->GetChannel();
        });
        const std::size_t index = known - m_links.begin();
        if (known == m_links.end())
        {
            auto& link = m_links.emplace_back();
            link.report.name = isShared ? "bus_" + std::to_string(device->GetChannel()->GetId())
                                        : GetNodeName(device->GetNode()) + "/device_" +
                                              std::to_string(device->GetIfIndex());
        }
        m_links[index].senders.push_back(device);
        // The device must not own a callback that owns the device: neither would be released.
        device->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&TrafficStatistics::CountFrame, this).Bind(index, PeekPointer(device)));
    }

    /**
     * @brief Count a frame.
     * @param link number of the link
     * @param device the sending device
     * @param frame the frame
     */
    void CountFrame(std::size_t link, NetDevice* device, Ptr<const Packet> frame)
    {
        auto& report = m_links[link].report;
        const auto size = frame->GetSize();
        ++report.frames;
        report.bytes += size;
        report.busy += FindDataRate(device)->CalculateBytesTxTime(size);
        if (auto* path = FindPath(frame, device->IsPointToPoint()))
        {
            ++report.rlFrames;
            report.rlBytes += size;
            path->wireBytes += size;
        }
    }

    /**
     * @brief Count a packet that leaves its node.
     * @tparam Header Ipv4Header or Ipv6Header
     * @param header header of the packet
     * @param packet the packet after the header
     * @param interface outgoing interface
     */
    template <typename Header>
    void CountPacket(const Header& header, Ptr<const Packet> packet, uint32_t interface)
    {
        if (auto* path = FindPath(header, packet))
        {
            ++path->packets;
            path->ipBytes += header.GetSerializedSize() + packet->GetSize();
        }
    }

    /**
     * @param frame a PPP or Ethernet frame
     * @param isPpp whether it is a PPP frame
     * @return the counts of its channel; null: it has no channel
     */
    CommunicationPathReport* FindPath(Ptr<const Packet> frame, bool isPpp)
    {
        const auto rest = frame->Copy();
        uint16_t protocol = 0;
        if (isPpp)
        {
            std::array<uint8_t, 2> ppp{}; // the library is not linked with PppHeader
            rest->CopyData(ppp.data(), ppp.size());
            rest->RemoveAtStart(std::min<uint32_t>(ppp.size(), rest->GetSize()));
            const auto number = ppp[0] << 8 | ppp[1];
            protocol = number == 0x0021   ? Ipv4L3Protocol::PROT_NUMBER
                       : number == 0x0057 ? Ipv6L3Protocol::PROT_NUMBER
                                          : 0;
        }
        else if (EthernetHeader ethernet(false); Remove(rest, ethernet))
        {
            constexpr uint16_t longestFrame = 1536; // a larger number is a type, not a length
            LlcSnapHeader llc;
            protocol = ethernet.GetLengthType();
            protocol = protocol < longestFrame && Remove(rest, llc) ? llc.GetType() : protocol;
        }
        Ipv4Header ipv4;
        if (protocol == Ipv4L3Protocol::PROT_NUMBER && Remove(rest, ipv4))
        {
            return FindPath(ipv4, rest);
        }
        Ipv6Header ipv6;
        return protocol == Ipv6L3Protocol::PROT_NUMBER && Remove(rest, ipv6) ? FindPath(ipv6, rest)
                                                                             : nullptr;
    }

    /**
     * @param header header of a packet
     * @param payload the packet after the header
     * @return the counts of its channel; null: it has no channel
     */
    CommunicationPathReport* FindPath(const Ipv4Header& header, Ptr<const Packet> payload)
    {
        const auto isFirst = header.GetFragmentOffset() == 0;
        const auto datagram = isFirst && header.IsLastFragment()
                                  ? std::nullopt
                                  : std::optional<uint32_t>(header.GetIdentification());
        return FindPath({header.GetSource(), header.GetDestination(), header.GetProtocol()},
                        datagram,
                        isFirst,
                        payload);
    }

    /**
     * @param header header of a packet
     * @param payload the packet after the header
     * @return the counts of its channel; null: it has no channel
     */
    CommunicationPathReport* FindPath(const Ipv6Header& header, Ptr<const Packet> payload)
    {
        Ends ends{header.GetSource(), header.GetDestination(), header.GetNextHeader()};
        if (header.GetNextHeader() != Ipv6Header::IPV6_EXT_FRAGMENTATION)
        {
            return FindPath(ends, std::nullopt, true, payload);
        }
        const auto rest = payload->Copy();
        Ipv6ExtensionFragmentHeader fragment;
        if (!Remove(rest, fragment))
        {
            return nullptr;
        }
        std::get<uint8_t>(ends) = fragment.GetNextHeader();
        return FindPath(ends, fragment.GetIdentification(), fragment.GetOffset() == 0, rest);
    }

    /**
     * @param hosts hosts of a packet, and its protocol
     * @param datagram if it is a fragment, the identification of its datagram
     * @param isFirst whether it begins with the header of the protocol
     * @param payload the packet after IP's headers
     * @return the counts of its channel; null: it has no channel
     */
    CommunicationPathReport* FindPath(const Ends& hosts,
                                      std::optional<uint32_t> datagram,
                                      bool isFirst,
                                      Ptr<const Packet> payload)
    {
        const auto& [source, destination, protocol] = hosts;
        if (protocol != UdpL4Protocol::PROT_NUMBER && protocol != TcpL4Protocol::PROT_NUMBER)
        {
            return nullptr;
        }
        std::array<uint8_t, 4> ports{};
        Ends conversation;
        if (isFirst && payload->CopyData(ports.data(), ports.size()) == ports.size())
        {
            conversation = {
                addressUtils::ConvertToSocketAddress(source, ports[0] << 8 | ports[1]),
                addressUtils::ConvertToSocketAddress(destination, ports[2] << 8 | ports[3]),
                protocol};
            if (datagram)
            {
                m_datagrams[{hosts, *datagram}] = conversation;
            }
        }
        else if (datagram)
        {
            conversation = m_datagrams[{hosts, *datagram}];
        }
        const auto found = m_conversations.find(conversation);
        if (found != m_conversations.end())
        {
            return found->second;
        }
        Learn();
        return m_conversations.emplace(conversation, nullptr).first->second;
    }

    /**
     * @tparam Header type of the header
     * @param packet packet that begins with a header
     * @param header takes the header
     * @return whether the packet had one
     */
    template <typename Header>
    static bool Remove(Ptr<Packet> packet, Header& header)
    {
        return packet->GetSize() >= header.GetSerializedSize() && packet->RemoveHeader(header) > 0;
    }

    /// Record the present conversations of the channels.
    void Learn()
    {
        for (const auto& [pair, end] : m_ends)
        {
            const auto peer = DynamicCast<SocketChannelInterface>(end->GetPeer());
            const auto source = end->GetSocketAddress();
            const auto destination = peer ? peer->GetSocketAddress() : Address();
            if (!source.IsInvalid() && !destination.IsInvalid())
            {
                const auto protocol =
                    end->IsStream() ? TcpL4Protocol::PROT_NUMBER : UdpL4Protocol::PROT_NUMBER;
                m_conversations[{source, destination, protocol}] = &m_paths[pair];
            }
        }
    }

    Time m_begin;                                    //!< Start of counting
    std::vector<End> m_ends;                         //!< Ends of all channels
    std::map<Pair, CommunicationPathReport> m_paths; //!< The traffic of channels
    /// Paths by conversation; null: it belongs to no channel.
    std::map<Ends, CommunicationPathReport*> m_conversations;
    std::map<std::pair<Ends, uint32_t>, Ends> m_datagrams; //!< Conversations of fragments
    std::vector<Link> m_links;                             //!< Links in the order of nodes
};

} // namespace ns3

#endif // TRAFFIC_STATISTICS_H
