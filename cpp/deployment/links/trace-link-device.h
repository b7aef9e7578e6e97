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
 * @brief A point-to-point device that delivers when a CapacityTrace says so.
 *
 * An opportunity delivers CapacityTrace::OPPORTUNITY_BYTES: bytes of IP packets in order, of one
 * that is longer than what is left the first part, and the rest at the next opportunity. A packet
 * is sent with its last byte. The rest of an opportunity is lost after its instant: queue
 * disciplines send at that instant, when the device's queue reports room.
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
     * @param trace Says when it delivers.
     * @param start When the trace begins.
     */
    void SetTrace(CapacityTrace trace, Time start);

    bool Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol) override;

  private:
    /// Wait for the next opportunity, if there is something to deliver.
    void Await();

    /// An opportunity begins.
    void Begin();

    /// Use what is left of an opportunity.
    void Deliver();

    CapacityTrace m_trace;     //!< Says when it delivers
    Time m_start;              //!< When it begins
    uint64_t m_next{0};        //!< Number of the next opportunity
    EventId m_event;           //!< Of the next opportunity
    Time m_opportunity;        //!< When the last one was
    uint32_t m_left{0};        //!< Bytes that it may still deliver, at that instant
    bool m_delivering{false};  //!< It is doing so
    Ptr<Packet> m_packet;      //!< Partly delivered; null: there is none
    uint32_t m_undelivered{0}; //!< Bytes of it
};

} // namespace ns3

#endif // TRACE_LINK_DEVICE_H
