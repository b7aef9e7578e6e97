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
 * @brief The packets that enter at a router, over UDP; and a port at which those end that are bound
 * for it.
 *
 * When which packet enters is drawn by itself: it does not depend on how packets are led.
 */
class PacketSource : public Application
{
  public:
    /**
     * @param router Number of the router.
     * @param x Where it is drawn; its longitude on a map.
     * @param hopLimit Links that a packet crosses at most.
     */
    void SetRouter(uint32_t router, double x, uint32_t hopLimit);

    /**
     * @param parameters Which packets enter; they outlive this.
     * @param matrix Where they are bound for; it outlives this.
     * @param ledger Called with each packet; it outlives this object.
     */
    void SetTraffic(const TrafficParameters& parameters,
                    const TrafficMatrix& matrix,
                    PacketLedger& ledger);

    /**
     * Draw sizes of packets.
     *
     * @param variable Uniformly distributed from 0 to 1.
     * @param parameters Their mean and distribution.
     * @return the payload of a packet in bytes
     */
    static uint32_t DrawPayload(Ptr<UniformRandomVariable> variable,
                                const TrafficParameters& parameters);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    /// Draw when the next packet may enter.
    void ScheduleNext();

    /// A packet may enter: draw whether it does, at this time of the day.
    void Enter();

    /// Send a packet.
    void SendPacket();

    /// Begin to send, or end, with traffic=on-off.
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
    double m_x{0};                           //!< Its longitude on a map
    uint8_t m_hopLimit{64};                  //!< Links that a packet crosses at most
    const TrafficParameters* m_parameters{}; //!< Which packets enter
    const TrafficMatrix* m_matrix{};         //!< Where they are bound for
    PacketLedger* m_ledger{};                //!< Called with each packet
    Ptr<Socket> m_socket;                    //!< Sends packets
    Ptr<Socket> m_sink;                      //!< Where packets end
    Ptr<UniformRandomVariable> m_times;      //!< When packets enter, and where they are bound for
    Ptr<UniformRandomVariable> m_sizes;      //!< Of packets
    Ptr<UniformRandomVariable> m_toggles;    //!< When sending begins and ends
    bool m_on{true};                         //!< The router sends
    EventId m_next;                          //!< The next packet
    EventId m_toggle;                        //!< The next change of m_on
};

} // namespace ns3

#endif // PACKET_SOURCE_H
