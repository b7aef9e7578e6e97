// SPDX-License-Identifier: GPL-2.0-only

#include "flow-filter.h"

#include "ns3/fq-cobalt-queue-disc.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/fq-pie-queue-disc.h"
#include "ns3/hash.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowFilter);

namespace
{

constexpr std::size_t PORTS{4}; //!< Bytes of both ports, with which TCP and UDP begin

/**
 * @param packet the packet after the IP header
 * @param protocol protocol of the packet
 * @param ports set to both ports, in network byte order; zeros without ports
 */
void
ReadPorts(Ptr<const Packet> packet, uint8_t protocol, uint8_t* ports)
{
    std::fill_n(ports, PORTS, uint8_t{0});
    if (protocol == TcpL4Protocol::PROT_NUMBER || protocol == UdpL4Protocol::PROT_NUMBER)
    {
        packet->CopyData(ports, PORTS);
    }
}

/**
 * @param disc queue
 * @param name attribute
 * @return value of the attribute
 */
uint32_t
GetNumber(Ptr<const QueueDisc> disc, const std::string& name)
{
    UintegerValue value;
    disc->GetAttribute(name, value);
    return value.Get();
}

} // namespace

TypeId
FlowFilter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowFilter")
                            .SetParent<PacketFilter>()
                            .SetGroupName("defiance")
                            .AddConstructor<FlowFilter>();
    return tid;
}

FlowFilter::FlowFilter() = default;

FlowFilter::FlowFilter(uint32_t perturbation, uint32_t flows)
    : m_perturbation(perturbation),
      m_flows(flows)
{
}

void
FlowFilter::InstallEverywhere()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto layer = (*node)->GetObject<TrafficControlLayer>();
        for (uint32_t i = 0; layer && i < (*node)->GetNDevices(); ++i)
        {
            Install(layer->GetRootQueueDiscOnDevice((*node)->GetDevice(i)));
        }
    }
}

void
FlowFilter::Install(Ptr<QueueDisc> disc)
{
    if (!disc)
    {
        return;
    }
    const auto type = disc->GetInstanceTypeId();
    const auto isFair = type == FqCoDelQueueDisc::GetTypeId() ||
                        type == FqCobaltQueueDisc::GetTypeId() ||
                        type == FqPieQueueDisc::GetTypeId();
    if (isFair && disc->GetNPacketFilters() == 0)
    {
        disc->AddPacketFilter(
            Create<FlowFilter>(GetNumber(disc, "Perturbation"), GetNumber(disc, "Flows")));
    }
    for (std::size_t i = 0; !isFair && i < disc->GetNQueueDiscClasses(); ++i)
    {
        Install(disc->GetQueueDiscClass(i)->GetQueueDisc());
    }
}

uint32_t
FlowFilter::Hash(const QueueDiscItem& item) const
{
    // Addresses, protocol, ports and perturbation, big-endian, as in the hash of ns-3's items.
    std::array<uint8_t, 41> key;
    uint8_t* end = key.data();
    if (const auto* ipv4 = dynamic_cast<const Ipv4QueueDiscItem*>(&item))
    {
        const auto& header = ipv4->GetHeader();
        header.GetSource().Serialize(end);
        header.GetDestination().Serialize(end + 4);
        end[8] = header.GetProtocol();
        ReadPorts(item.GetPacket(), header.GetFragmentOffset() == 0 ? end[8] : 0, end + 9);
        end += 9 + PORTS;
    }
    else if (const auto* ipv6 = dynamic_cast<const Ipv6QueueDiscItem*>(&item))
    {
        const auto& header = ipv6->GetHeader();
        header.GetSource().Serialize(end);
        header.GetDestination().Serialize(end + 16);
        end[32] = header.GetNextHeader();
        ReadPorts(item.GetPacket(), end[32], end + 33);
        end += 33 + PORTS;
    }
    else
    {
        return item.Hash(m_perturbation);
    }
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        *end++ = m_perturbation >> shift & 0xff;
    }
    return Hash32(reinterpret_cast<const char*>(key.data()), end - key.data());
}

bool
FlowFilter::CheckProtocol(Ptr<QueueDiscItem> /* item */) const
{
    return true;
}

int32_t
FlowFilter::DoClassify(Ptr<QueueDiscItem> item) const
{
    const auto hash = Hash(*item);
    // The queue uses the remainder; one hash value means no result.
    return static_cast<int32_t>(static_cast<int32_t>(hash) == PF_NO_MATCH ? hash % m_flows : hash);
}

} // namespace ns3
