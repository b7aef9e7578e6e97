// SPDX-License-Identifier: GPL-2.0-only

#ifndef PACKET_SOURCE_H
#define PACKET_SOURCE_H

#include "routed-packet.h"
#include "router-network.h"
#include "traffic-matrix.h"
#include "traffic-parameters.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"

#include <cmath>
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

constexpr uint16_t PORT = 40'000;           //!< Port of all sinks
constexpr int64_t TRAFFIC_STREAM = 100'000; //!< Streams of the first router, three each

/**
 * @param variable A uniform variable from 0 to 1.
 * @return a number from the exponential distribution with mean 1
 */
inline double
DrawExponential(Ptr<UniformRandomVariable> variable)
{
    return -std::log1p(-variable->GetValue());
}

/**
 * @brief Sends the packets that enter at a router, over UDP, and receives the packets with this
 * destination. Times and packets are drawn independently of the routing.
 */
class PacketSource : public Application
{
  public:
    /**
     * @param router Number of the router.
     * @param x Horizontal position; longitude on a map.
     * @param traffic The traffic of the network.
     */
    PacketSource(uint32_t router, double x, const Traffic& traffic)
        : m_router(router),
          m_x(x),
          m_traffic(traffic)
    {
        int64_t stream = TRAFFIC_STREAM + 3 * int64_t(router);
        for (auto* variable : {&m_times, &m_sizes, &m_toggles})
        {
            *variable = CreateObject<UniformRandomVariable>();
            (*variable)->SetStream(stream++);
        }
    }

  private:
    void DoDispose() override
    {
        StopApplication();
        m_socket = nullptr;
        m_sink = nullptr;
        Application::DoDispose();
    }

    void StartApplication() override
    {
        m_sink = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        // IP records arrivals.
        m_sink->SetRecvCallback([](Ptr<Socket> socket) {
            while (socket->Recv())
            {
            }
        });
        m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        m_socket->Bind();
        m_socket->ShutdownRecv();
        m_socket->SetIpTtl(m_traffic.hopLimit);
        if (m_traffic.matrix.GetShare(m_router) <= 0)
        {
            return;
        }
        if (m_parameters.pattern == "on-off")
        {
            m_on = m_toggles->GetValue() >= m_parameters.onTime.GetSeconds() / GetPeriod();
            Toggle();
        }
        ScheduleNext();
    }

    void StopApplication() override
    {
        m_next.Cancel();
        m_toggle.Cancel();
    }

    /**
     * @return the mean of an on time and the next off time together, in s
     */
    double GetPeriod() const
    {
        return m_parameters.onTime.GetSeconds() + m_parameters.offTime.GetSeconds();
    }

    /// Begin or end sending, with traffic=on-off.
    void Toggle()
    {
        m_on = !m_on;
        const auto mean = m_on ? m_parameters.onTime : m_parameters.offTime;
        const auto lasts = DrawExponential(m_toggles) * mean.GetSeconds();
        m_toggle = Simulator::Schedule(Seconds(lasts), &PacketSource::Toggle, this);
    }

    /// Draw the time of the next possible packet.
    void ScheduleNext()
    {
        // Candidates at the highest rate, of which the present rate's share is accepted.
        auto highest = m_parameters.rate * m_traffic.matrix.GetShare(m_router);
        if (m_parameters.day.IsStrictlyPositive())
        {
            highest *= 1 + m_parameters.dayAmplitude;
        }
        if (m_parameters.pattern == "on-off")
        {
            highest *= GetPeriod() / m_parameters.onTime.GetSeconds();
        }
        const auto wait = Seconds(DrawExponential(m_times) / highest);
        m_next = Simulator::Schedule(wait, &PacketSource::Enter, this);
    }

    /// Draw whether a packet enters, at this time of the day.
    void Enter()
    {
        bool enters = m_on;
        if (m_parameters.day.IsStrictlyPositive())
        {
            const auto factor = m_parameters.GetFactor(Simulator::Now(), m_x);
            const auto drawn = m_times->GetValue() * (1 + m_parameters.dayAmplitude);
            enters = drawn < factor && enters;
        }
        ScheduleNext();
        if (enters)
        {
            SendPacket();
        }
    }

    /// Send a packet.
    void SendPacket()
    {
        RoutedPacket routed;
        routed.source = m_router;
        routed.destination = m_traffic.matrix.DrawDestination(m_router, m_times->GetValue());
        routed.created = Simulator::Now();
        routed.hopLimit = m_traffic.hopLimit;
        m_traffic.ledger.NotifyCreated(routed);
        const auto packet = Create<Packet>(m_parameters.DrawPayload(m_sizes));
        packet->AddPacketTag(RoutedPacketTag(routed));
        const InetSocketAddress target(RouterNetwork::GetAddress(routed.destination), PORT);
        if (m_socket->SendTo(packet, 0, target) < 0)
        {
            m_traffic.ledger.NotifyLost(routed);
        }
    }

    uint32_t m_router;                                           //!< Number of the router
    double m_x;                                                  //!< Longitude on a map
    Traffic m_traffic;                                           //!< The traffic of the network
    const TrafficParameters& m_parameters{m_traffic.parameters}; //!< Its parameters
    Ptr<Socket> m_socket;                                        //!< Sending socket
    Ptr<Socket> m_sink;                                          //!< Receiving socket
    Ptr<UniformRandomVariable> m_times;   //!< Draws times and destinations of packets
    Ptr<UniformRandomVariable> m_sizes;   //!< Draws sizes of packets
    Ptr<UniformRandomVariable> m_toggles; //!< Draws on and off times
    bool m_on{true};                      //!< The router sends
    EventId m_next;                       //!< The next packet
    EventId m_toggle;                     //!< The next change of m_on
};

} // namespace ns3

#endif // PACKET_SOURCE_H
