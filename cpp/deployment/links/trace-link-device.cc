// SPDX-License-Identifier: GPL-2.0-only

#include "trace-link-device.h"

#include "ns3/abort.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/object-type.h"
#include "ns3/ppp-header.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

DEFIANCE_OBJECT(TraceLinkDevice, PointToPointNetDevice);

namespace
{

constexpr uint16_t PPP_IPV4 = 0x0021; // RFC 1661

} // namespace

bool
TraceLinkDevice::Send(Ptr<Packet> packet, const Address&, uint16_t protocol)
{
    NS_ABORT_MSG_UNLESS(protocol == Ipv4L3Protocol::PROT_NUMBER, "This link carries IPv4 only");
    PppHeader header;
    header.SetProtocol(PPP_IPV4);
    packet->AddHeader(header);
    const bool queued = GetQueue()->Enqueue(packet);
    if (m_delivering)
    {
        return queued; // the packet is delivered next
    }
    if (m_left > 0 && Simulator::Now() == m_opportunity)
    {
        Deliver();
    }
    else if (!m_event.IsPending())
    {
        m_next = std::max(m_next, m_trace.FindFirst(Simulator::Now() - m_start));
        Await();
    }
    return queued;
}

void
TraceLinkDevice::Await()
{
    if (m_packet || !GetQueue()->IsEmpty())
    {
        const auto time = m_start + m_trace.GetTime(m_next);
        m_event = Simulator::Schedule(time - Simulator::Now(), &TraceLinkDevice::Begin, this);
    }
}

void
TraceLinkDevice::Begin()
{
    m_next++;
    m_left = OPPORTUNITY_BYTES;
    m_opportunity = Simulator::Now();
    Deliver();
}

void
TraceLinkDevice::Deliver()
{
    m_delivering = true;
    const auto channel = DynamicCast<PointToPointChannel>(GetChannel());
    while (m_left > 0 && (m_packet || !GetQueue()->IsEmpty()))
    {
        if (!m_packet)
        {
            m_packet = GetQueue()->Dequeue();
            m_undelivered = m_packet->GetSize() - PppHeader().GetSerializedSize();
        }
        const auto delivered = std::min(m_left, m_undelivered);
        m_left -= delivered;
        m_undelivered -= delivered;
        if (m_undelivered == 0)
        {
            channel->TransmitStart(std::exchange(m_packet, nullptr), this, Time());
        }
    }
    m_delivering = false;
    if (!m_event.IsPending())
    {
        Await();
    }
}

} // namespace ns3
