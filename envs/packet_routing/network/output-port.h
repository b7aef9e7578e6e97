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
 * @brief The end of a link at a router: its queue, and how long a packet takes from here.
 */
class OutputPort : public SimpleRefCount<OutputPort>
{
  public:
    /**
     * Where the link leads, and what it is like.
     */
    struct Description
    {
        uint32_t link;                     //!< Number of the link
        uint32_t neighbour;                //!< Number of the router at its other end
        Ptr<PointToPointNetDevice> device; //!< At this end
        Ptr<Ipv4> ipv4;                    //!< Of this router
        uint32_t interface;                //!< Of the device
        Ipv4Address gateway;               //!< At the other end
        Time propagation;                  //!< One way
        DataRate rate;                     //!< Of the device
        uint32_t buffer;                   //!< Packets that its queue holds
    };

    /**
     * @param description Where the link leads.
     */
    explicit OutputPort(const Description& description);
    OutputPort(const OutputPort&) = delete;
    OutputPort& operator=(const OutputPort&) = delete;

    const Description& Get() const; //!< @return where the link leads

    /**
     * @return whether the link works
     */
    bool IsUp() const;

    /**
     * @return whether a packet that is sent now is not dropped here
     */
    bool Accepts() const;

    /**
     * @return how long a packet that is sent now waits before its transmission begins
     */
    Time GetWaitingTime() const;

    /**
     * @param bytes Size of a packet at the link.
     * @return how long it takes to the next router if it is sent now
     */
    Time GetHopDelay(uint32_t bytes) const;

    /**
     * @return how many packets wait
     */
    uint32_t CountWaiting() const;

  private:
    /**
     * @param bytes Size of packets at the link.
     * @return how long their transmission takes; for the size of the last call without a division
     */
    Time GetTransmissionTime(uint32_t bytes) const;

    /**
     * Note that a transmission begins.
     *
     * @param packet The packet as it is at the link.
     */
    void NotifyTransmission(Ptr<const Packet> packet);

    Description m_description; //!< Where the link leads
    Time m_idleFrom;           //!< End of the present transmission, or the last one

    mutable uint32_t m_bytes{0};    //!< Size whose transmission was computed last
    mutable Time m_transmission{0}; //!< How long it takes
};

} // namespace ns3

#endif // OUTPUT_PORT_H
