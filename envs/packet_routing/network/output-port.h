// SPDX-License-Identifier: GPL-2.0-only

#ifndef OUTPUT_PORT_H
#define OUTPUT_PORT_H

#include "ns3/data-rate.h"
#include "ns3/ipv4.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The end of a link at a router: its queue, and the delay of packets from here.
 */
class OutputPort : public SimpleRefCount<OutputPort>
{
  public:
    /**
     * The other end of the link, and its properties.
     */
    struct Description
    {
        uint32_t link;                     //!< Number of the link
        uint32_t neighbour;                //!< Number of the router at the other end
        Ptr<PointToPointNetDevice> device; //!< Device at this end
        Ptr<Ipv4> ipv4;                    //!< IPv4 of this router
        uint32_t interface;                //!< Interface of the device
        Ipv4Address gateway;               //!< Address of the other end
        Time propagation;                  //!< One-way propagation delay
        DataRate rate;                     //!< Data rate of the device
        uint32_t buffer;                   //!< Packets in the device's queue
    };

    /**
     * @param description Description of the link.
     */
    explicit OutputPort(const Description& description);
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    const Description& Get() const; //!< @return description of the link

    /**
     * @return whether the link works
     */
    bool IsUp() const;

    /**
     * @return whether a packet sent now is not dropped here
     */
    bool Accepts() const;

    /**
     * @return waiting time of a packet sent now before its transmission
     */
    Time GetWaitingTime() const;

    /**
     * @param bytes Size of a packet at the link.
     * @return its delay to the next router if it is sent now
     */
    Time GetHopDelay(uint32_t bytes) const;

    /**
     * @return number of waiting packets
     */
    uint32_t CountWaiting() const;

  private:
    /**
     * @param bytes Size of packets at the link.
     * @return their transmission time; for the size of the last call without a division
     */
    Time GetTransmissionTime(uint32_t bytes) const;

    /**
     * Record the begin of a transmission.
     *
     * @param packet The packet at the link.
     */
    void NotifyTransmission(Ptr<const Packet> packet);

    Description m_description; //!< Description of the link
    Time m_idleFrom;           //!< End of the present transmission, or the last one

    mutable uint32_t m_bytes{0};    //!< Size of m_transmission
    mutable Time m_transmission{0}; //!< Transmission time of m_bytes
};

} // namespace ns3

#endif // OUTPUT_PORT_H
