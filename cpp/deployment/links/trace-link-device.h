// SPDX-License-Identifier: GPL-2.0-only

#ifndef TRACE_LINK_DEVICE_H
#define TRACE_LINK_DEVICE_H

#include "capacity-trace.h"

#include "ns3/event-id.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"

namespace ns3
{

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

    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;

  private:
    /// Wait for the next opportunity, if there are packets to deliver.
    void Await();

    /// Begin an opportunity.
    void Begin();

    /// Use the remaining bytes of an opportunity.
    void Deliver();

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

} // namespace ns3

#endif // TRACE_LINK_DEVICE_H
