// SPDX-License-Identifier: GPL-2.0-only

#include "private/traffic-statistics.h"

#include "device-rate.h"
#include "private/ip-conversation.h"
#include "recorded-network.h"

#include "ns3/channel.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/node-list.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <set>

namespace ns3
{

namespace
{

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

TrafficStatistics::TrafficStatistics()
{
    Simulator::ScheduleNow(&TrafficStatistics::Begin, this);
}

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
TrafficStatistics::Unwatch(Ptr<const SocketChannelInterface> end)
{
    std::erase_if(m_ends, [&end](const auto& other) { return other.interface == end; });
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
