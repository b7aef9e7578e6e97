// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_LINK_DEVICE_H
#define TRACE_LINK_DEVICE_H

#include "capacity-trace.h"

#include "ns3/abort.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/ppp-header.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

constexpr uint16_t PPP_IPV4 = 0x0021; // RFC 1661

/**
 * @brief A point-to-point device that delivers packets at the times of a CapacityTrace.
 *
 * An opportunity delivers OPPORTUNITY_BYTES of IP packets, in order. If a packet is
 * longer than the remaining bytes, the next opportunity delivers its rest. A packet is sent with
 * its last byte. Unused bytes are lost after their instant: queue disciplines send at that instant,
 * when the device's queue reports room.
 */
class TraceLinkDevice : public PointToPointNetDevice
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param trace The trace of delivery times.
     * @param start Start of the trace.
     */
    void SetTrace(CapacityTrace trace, Time start)
    {
        m_trace = std::move(trace);
        m_start = start;
    }

    bool Send(Ptr<Packet> packet, const Address&, uint16_t protocol) override
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

  private:
    /// Wait for the next opportunity, if there are packets to deliver.
    void Await()
    {
        if (m_packet || !GetQueue()->IsEmpty())
        {
            const auto time = m_start + m_trace.GetTime(m_next);
            m_event = Simulator::Schedule(time - Simulator::Now(), &TraceLinkDevice::Begin, this);
        }
    }

    /// Begin an opportunity.
    void Begin()
    {
        m_next++;
        m_left = OPPORTUNITY_BYTES;
        m_opportunity = Simulator::Now();
        Deliver();
    }

    /// Use the remaining bytes of an opportunity.
    void Deliver()
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

    CapacityTrace m_trace;     //!< Times of the opportunities
    Time m_start;              //!< Start of the trace
    uint64_t m_next{0};        //!< Number of the next opportunity
    EventId m_event;           //!< Next opportunity
    Time m_opportunity;        //!< Time of the last opportunity
    uint32_t m_left{0};        //!< Bytes that the device may still deliver now
    bool m_delivering{false};  //!< Whether the device delivers packets now
    Ptr<Packet> m_packet;      //!< Packet that is partly delivered, or null
    uint32_t m_undelivered{0}; //!< Bytes of m_packet that are not delivered
};

inline DEFIANCE_OBJECT(TraceLinkDevice, PointToPointNetDevice);

} // namespace ns3

#endif // TRACE_LINK_DEVICE_H
