// SPDX-License-Identifier: GPL-2.0-only

#include "private/traffic-statistics.h"

#include "recorded-network.h"

#include "ns3/channel.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/node-list.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint8_t TCP = 6;       // IP's protocol number for TCP
constexpr uint8_t UDP = 17;      // IP's protocol number for UDP
constexpr uint8_t FRAGMENT = 44; // IP's number of IPv6's fragment header
constexpr uint32_t MOST = 96;    // relevant bytes: a link's header, the longest IPv4 header, ports

/// Positions of the fields of an IP header.
struct Layout
{
    std::size_t addresses;  //!< Offset of the source, then the destination
    std::size_t addressEnd; //!< End of both addresses
    std::size_t ports;      //!< Offset of the ports of UDP or TCP
    uint8_t protocol;       //!< IP protocol number
    std::string
        datagram; //!< If fragmented: the datagram's identification, besides addresses and protocol
    bool isFirst; //!< Whether it has a UDP or TCP header
};

/**
 * @param bytes An IPv4 header.
 * @return the fields of the header
 */
Layout
ReadIpv4(const std::string& bytes)
{
    const auto at = [&bytes](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
    const auto offset = (at(6) & 0x1f) << 8 | at(7);
    const bool isFragment = offset > 0 || (at(6) & 0x20) != 0;
    return {12, 20, (at(0) & 0xfU) * 4, at(9), isFragment ? bytes.substr(4, 2) : "", offset == 0};
}

/**
 * @param bytes An IPv6 header.
 * @return the fields of the header
 */
Layout
ReadIpv6(const std::string& bytes)
{
    const auto at = [&bytes](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
    if (at(6) != FRAGMENT)
    {
        return {8, 40, 40, at(6), "", true};
    }
    const auto offset = (at(42) << 8 | at(43)) >> 3;
    return {8, 40, 48, at(40), bytes.substr(44, 4), offset == 0};
}

/**
 * @param address Address with port.
 * @return the bytes of address and port
 */
std::pair<std::string, std::string>
Split(const Address& address)
{
    uint16_t port = 0;
    std::array<uint8_t, 16> bytes{};
    std::size_t size = 4;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto socket = InetSocketAddress::ConvertFrom(address);
        socket.GetIpv4().Serialize(bytes.data());
        port = socket.GetPort();
    }
    else
    {
        const auto socket = Inet6SocketAddress::ConvertFrom(address);
        socket.GetIpv6().Serialize(bytes.data());
        port = socket.GetPort();
        size = bytes.size();
    }
    return {std::string(bytes.begin(), bytes.begin() + size),
            {static_cast<char>(port >> 8), static_cast<char>(port & 0xff)}};
}

/**
 * @brief The addresses and ports in the headers of a UDP or TCP packet.
 *
 * Names consist of bytes of the headers: source, destination, protocol and ports name a
 * conversation in one direction.
 */
struct IpConversation
{
    std::string name;     //!< Name of the conversation; empty: a fragment without ports
    std::string datagram; //!< Name of the fragment's datagram; empty: not a fragment
};

/**
 * @brief Read the headers of a packet.
 * @param packet a packet
 * @param offset offset of its IPv4 or IPv6 header
 * @return its conversation; nothing if the packet is neither UDP nor TCP
 */
std::optional<IpConversation>
ReadIpConversation(Ptr<const Packet> packet, uint32_t offset)
{
    std::array<uint8_t, MOST> buffer{};
    const auto read = packet->CopyData(buffer.data(), buffer.size());
    const std::string bytes(buffer.begin() + std::min(offset, read), buffer.begin() + read);
    const auto version = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]) >> 4;
    if (!(version == 4 && bytes.size() >= 20) && !(version == 6 && bytes.size() >= 48))
    {
        return std::nullopt;
    }
    const auto layout = version == 4 ? ReadIpv4(bytes) : ReadIpv6(bytes);
    if (layout.protocol != UDP && layout.protocol != TCP)
    {
        return std::nullopt;
    }
    const auto hosts = bytes.substr(layout.addresses, layout.addressEnd - layout.addresses) +
                       static_cast<char>(layout.protocol);
    IpConversation conversation;
    if (layout.isFirst && bytes.size() >= layout.ports + 4)
    {
        conversation.name = hosts + bytes.substr(layout.ports, 4);
    }
    if (!layout.datagram.empty())
    {
        conversation.datagram = hosts + layout.datagram;
    }
    return conversation;
}

/**
 * @brief Name the conversation between two sockets.
 * @param source address of the sender, with port
 * @param destination address of the receiver, with port
 * @param isStream whether the sockets are TCP rather than UDP
 * @return the name, as in IpConversation
 */
std::string
NameIpConversation(const Address& source, const Address& destination, bool isStream)
{
    const auto [from, fromPort] = Split(source);
    const auto [to, toPort] = Split(destination);
    return from + to + static_cast<char>(isStream ? TCP : UDP) + fromPort + toPort;
}

/**
 * @param frame A PPP or Ethernet frame.
 * @param isPpp Whether it is a PPP frame.
 * @return offset of the IP header; without one, a position after the frame
 */
uint32_t
FindIpHeader(Ptr<const Packet> frame, bool isPpp)
{
    std::array<uint8_t, 22> bytes{};
    frame->CopyData(bytes.data(), bytes.size());
    const auto word = [&bytes](std::size_t i) { return bytes[i] << 8 | bytes[i + 1]; };
    constexpr int longestFrame = 1536; // a larger number is a type, not a length
    const std::size_t type = isPpp ? 0 : (word(12) < longestFrame ? 20 : 12);
    const auto protocol = word(type);
    const bool isIp =
        isPpp ? protocol == 0x0021 || protocol == 0x0057 : protocol == 0x0800 || protocol == 0x86dd;
    return isIp ? type + 2 : frame->GetSize();
}

} // namespace

void
TrafficStatistics::Watch(RlApplicationId local,
                         RlApplicationId remote,
                         Ptr<const SocketChannelInterface> end)
{
    const Pair pair{local, remote};
    auto& path = m_paths[pair];
    path.sender = local.ToString();
    path.receiver = remote.ToString();
    m_ends.push_back({pair, end});
}

void
TrafficStatistics::Begin()
{
    m_begin = Simulator::Now();
    for (uint32_t i = 0; i < NodeList::GetNNodes(); ++i)
    {
        const auto node = NodeList::GetNode(i);
        if (const auto ipv4 = node->GetObject<Ipv4L3Protocol>())
        {
            ipv4->TraceConnectWithoutContext("SendOutgoing",
                                             MakeCallback(&TrafficStatistics::CountIpv4, this));
        }
        if (const auto ipv6 = node->GetObject<Ipv6L3Protocol>())
        {
            ipv6->TraceConnectWithoutContext("SendOutgoing",
                                             MakeCallback(&TrafficStatistics::CountIpv6, this));
        }
        for (uint32_t j = 0; j < node->GetNDevices(); ++j)
        {
            WatchDevice(node->GetDevice(j));
        }
    }
}

void
TrafficStatistics::WatchDevice(Ptr<NetDevice> device)
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

void
TrafficStatistics::CountFrame(std::size_t link, NetDevice* device, Ptr<const Packet> frame)
{
    auto& report = m_links[link].report;
    const auto size = frame->GetSize();
    ++report.frames;
    report.bytes += size;
    report.busy += FindDataRate(device)->CalculateBytesTxTime(size);
    if (auto* path = FindPath(frame, FindIpHeader(frame, device->IsPointToPoint())))
    {
        ++report.rlFrames;
        report.rlBytes += size;
        path->wireBytes += size;
    }
}

void
TrafficStatistics::CountIpv4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface)
{
    const auto whole = packet->Copy();
    whole->AddHeader(header);
    CountPacket(whole);
}

void
TrafficStatistics::CountIpv6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface)
{
    const auto whole = packet->Copy();
    whole->AddHeader(header);
    CountPacket(whole);
}

void
TrafficStatistics::CountPacket(Ptr<const Packet> packet)
{
    if (auto* path = FindPath(packet, 0))
    {
        ++path->packets;
        path->ipBytes += packet->GetSize();
    }
}

CommunicationPathReport*
TrafficStatistics::FindPath(Ptr<const Packet> packet, uint32_t offset)
{
    auto conversation = ReadIpConversation(packet, offset);
    if (!conversation)
    {
        return nullptr;
    }
    if (conversation->name.empty())
    {
        conversation->name = m_datagrams[conversation->datagram];
    }
    else if (!conversation->datagram.empty())
    {
        m_datagrams[conversation->datagram] = conversation->name;
    }
    const auto found = m_conversations.find(conversation->name);
    if (found != m_conversations.end())
    {
        return found->second;
    }
    Learn();
    return m_conversations.emplace(conversation->name, nullptr).first->second;
}

void
TrafficStatistics::Learn()
{
    for (const auto& [pair, end] : m_ends)
    {
        const auto peer = DynamicCast<SocketChannelInterface>(end->GetPeer());
        const auto source = end->GetSocketAddress();
        const auto destination = peer ? peer->GetSocketAddress() : Address();
        if (!source.IsInvalid() && !destination.IsInvalid())
        {
            m_conversations[NameIpConversation(source, destination, end->IsStream())] =
                &m_paths[pair];
        }
    }
}

void
TrafficStatistics::Report(Time until, CommunicationReport& report) const
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

} // namespace ns3
