// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_SOURCE_H
#define PACKET_SOURCE_H

#include "packet-ledger.h"
#include "traffic-matrix.h"
#include "traffic-parameters.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/random-variable-stream.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Sends the packets that enter at a router, over UDP, and receives the packets with this
 * destination.
 *
 * Times and packets are drawn independently of the routing.
 */
class PacketSource : public Application
{
  public:
    /**
     * @param router Number of the router.
     * @param x Horizontal position; longitude on a map.
     * @param hopLimit Maximum number of links that a packet crosses.
     */
    void SetRouter(uint32_t router, double x, uint32_t hopLimit);

    /**
     * @param parameters Parameters of the traffic; they outlive this object.
     * @param matrix Destinations of packets; it outlives this object.
     * @param ledger Called with each packet; it outlives this object.
     */
    void SetTraffic(const TrafficParameters& parameters,
                    const TrafficMatrix& matrix,
                    PacketLedger& ledger);

    /**
     * Draw sizes of packets.
     *
     * @param variable Uniform variable from 0 to 1.
     * @param parameters Mean and distribution of sizes.
     * @return the payload of a packet in bytes
     */
    static uint32_t DrawPayload(Ptr<UniformRandomVariable> variable,
                                const TrafficParameters& parameters);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// Draw the time of the next possible packet.
    void ScheduleNext();

    /// Draw whether a packet enters, at this time of the day.
    void Enter();

    /// Send a packet.
    void SendPacket();

    /// Begin or end sending, with traffic=on-off.
    void Toggle();

    /**
     * @return a number from 0 to 1
     */
    double Draw();

    /**
     * @return a number from the exponential distribution with mean 1
     */
    double DrawExponential();

    uint32_t m_router{0};                    //!< Number of the router
    double m_x{0};                           //!< Longitude on a map
    uint8_t m_hopLimit{64};                  //!< Maximum number of hops
    const TrafficParameters* m_parameters{}; //!< Parameters of the traffic
    const TrafficMatrix* m_matrix{};         //!< Destinations of packets
    PacketLedger* m_ledger{};                //!< Ledger of packets
    Ptr<Socket> m_socket;                    //!< Sending socket
    Ptr<Socket> m_sink;                      //!< Receiving socket
    Ptr<UniformRandomVariable> m_times;      //!< Draws times and destinations of packets
    Ptr<UniformRandomVariable> m_sizes;      //!< Draws sizes of packets
    Ptr<UniformRandomVariable> m_toggles;    //!< Draws on and off times
    bool m_on{true};                         //!< The router sends
    EventId m_next;                          //!< The next packet
    EventId m_toggle;                        //!< The next change of m_on
};

} // namespace ns3

#endif // PACKET_SOURCE_H
