// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_SOURCE_H
#define PACKET_SOURCE_H

#include "routed-packet.h"
#include "traffic-matrix.h"
#include "traffic-parameters.h"

#include "ns3/application.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief The packets that enter at the routers; all parts outlive the sources.
 */
struct Traffic
{
    const TrafficParameters& parameters; //!< Parameters of the traffic
    const TrafficMatrix& matrix;         //!< Destinations of packets
    PacketLedger& ledger;                //!< Ledger of packets
    uint8_t hopLimit;                    //!< Maximum number of links that a packet crosses
};

/**
 * Make an application that sends the packets that enter at a router, over UDP, and receives the
 * packets with this destination. Times and packets are drawn independently of the routing.
 *
 * @param router Number of the router.
 * @param x Horizontal position; longitude on a map.
 * @param traffic The traffic of the network.
 * @return the application
 */
Ptr<Application> MakePacketSource(uint32_t router, double x, const Traffic& traffic);

} // namespace ns3

#endif // PACKET_SOURCE_H
