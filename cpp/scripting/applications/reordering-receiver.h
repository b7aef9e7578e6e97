// SPDX-License-Identifier: GPL-2.0-only

#ifndef REORDERING_RECEIVER_H
#define REORDERING_RECEIVER_H

#include "script-hook.h"
#include "split-header.h"
#include "split-sender.h"

#include "ns3/application.h"
#include "ns3/channel-address.h"
#include "ns3/event-id.h"
#include "ns3/inet-socket-address.h"
#include "ns3/nstime.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace ns3
{

/**
 * @brief Receives the packets of a SplitSender, and delivers them in order.
 *
 * A packet waits for earlier packets, at most for Timeout. A packet that arrives after the delivery
 * of later packets is delivered at once.
 */
class ReorderingReceiver : public Application
{
  public:
    /// The counts of packets.
    struct Packets
    {
        uint32_t count{0}; //!< Number
        uint64_t bytes{0}; //!< Payload
        Time delay;        //!< Sum of the times since sending
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<ReorderingReceiver, Application>("ns3::ReorderingReceiver")
                .AddAttribute("Sender",
                              "The ns3::SplitSender of the packets.",
                              PointerValue(),
                              MakePointerAccessor(&ReorderingReceiver::m_sender),
                              MakePointerChecker<SplitSender>())
                .AddAttribute("Port",
                              "UDP port at which packets arrive.",
                              UintegerValue(9),
                              MakeUintegerAccessor(&ReorderingReceiver::m_port),
                              MakeUintegerChecker<uint16_t>(1))
                .AddAttribute("Timeout",
                              "Maximum time that a packet waits for earlier packets.",
                              TimeValue(MilliSeconds(100)),
                              MakeTimeAccessor(&ReorderingReceiver::m_timeout),
                              MakeTimeChecker(Time(0)));
        return tid;
    }

    /**
     * @param path Number of a path.
     * @return packets that have arrived on the path
     */
    const Packets& GetArrived(std::size_t path) const
    {
        return m_arrived.at(path);
    }

    /**
     * @param path Number of a path.
     * @return missing packets that were sent on the path before the last arrived packet
     */
    uint32_t GetLost(std::size_t path) const
    {
        return m_expected.at(path) - m_arrived.at(path).count;
    }

    /// @return delivered packets
    const Packets& GetDelivered() const
    {
        return m_delivered;
    }

    /// @return packets that arrived after the delivery of later packets
    uint32_t GetLate() const
    {
        return m_late;
    }

    /// @return the sender, which is informed of arrivals
    Ptr<SplitSender> GetSender() const
    {
        return m_sender;
    }

    /**
     * Call a function when a packet is delivered. Lost packets are never delivered.
     *
     * @param number Number of a packet that has not been delivered.
     * @param function The function.
     */
    void CallAtDelivery(uint32_t number, ScriptHook function)
    {
        m_hooks.emplace(number, std::move(function));
    }

  private:
    /// A packet that waits for others.
    struct Waiting
    {
        Time sent;      //!< Time of sending
        uint32_t bytes; //!< Payload
    };

    void DoDispose() override
    {
        for (auto& [number, hook] : m_hooks)
        {
            hook.Drop();
        }
        m_hooks.clear();
        m_sender = nullptr;
        m_socket = nullptr;
        Application::DoDispose();
    }

    void StartApplication() override
    {
        for (std::size_t path = 0; m_sender && path < SplitSender::PATHS; ++path)
        {
            const auto& address = m_sender->GetRemote(path);
            NS_ABORT_MSG_UNLESS(
                address.IsInvalid() || (!IsIpv6Address(address) && !IsLoopback(address) &&
                                        HasAddress(GetNode(), address)),
                "traffic to " << DescribeNode(GetNode()) << " needs its IPv4 address, "
                              << "which other nodes reach, and not " << DescribeAddress(address));
        }
        m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
        NS_ABORT_MSG_IF(
            m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port)) != 0,
            "port " << m_port << " of " << DescribeNode(GetNode())
                    << " has another application: choose another port for this traffic");
        m_socket->SetRecvCallback(MakeCallback(&ReorderingReceiver::Receive, this));
    }

    void StopApplication() override
    {
        m_timer.Cancel();
        m_socket->Close();
    }

    /// @param socket Socket with packets
    void Receive(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            const auto bytes = packet->GetSize();
            SplitHeader header;
            packet->RemoveHeader(header);
            auto& arrived = m_arrived.at(header.path);
            ++arrived.count;
            arrived.bytes += bytes;
            arrived.delay += Simulator::Now() - header.sent;
            auto& expected = m_expected.at(header.path);
            expected = std::max(expected, header.numberOnPath + 1);
            if (m_timeout.IsZero() || header.number < m_next)
            {
                m_late += header.number < m_next ? 1 : 0;
                m_next = std::max(m_next, header.number + 1);
                Deliver(header.number, header.sent, bytes);
            }
            else
            {
                m_waiting.insert({header.number, {header.sent, bytes}});
                m_arrivals.emplace_back(Simulator::Now(), header.number);
                DeliverInOrder();
            }
            m_sender->Acknowledge(header.path, header.numberOnPath);
        }
    }

    /**
     * Deliver a packet.
     *
     * @param number Number of the packet.
     * @param sent Time of sending.
     * @param bytes Payload.
     */
    void Deliver(uint32_t number, Time sent, uint32_t bytes)
    {
        ++m_delivered.count;
        m_delivered.bytes += bytes;
        m_delivered.delay += Simulator::Now() - sent;
        if (auto hook = m_hooks.extract(number))
        {
            hook.mapped()();
            hook.mapped().Drop();
        }
    }

    /// Deliver the waiting packet with the smallest number
    void DeliverFirst()
    {
        const auto packet = m_waiting.extract(m_waiting.begin());
        Deliver(packet.key(), packet.mapped().sent, packet.mapped().bytes);
    }

    /// Deliver packets that wait for none
    void DeliverInOrder()
    {
        while (!m_waiting.empty() && m_waiting.begin()->first == m_next)
        {
            ++m_next;
            DeliverFirst();
        }
        Await();
    }

    /// Deliver packets whose Timeout has passed, and earlier packets
    void GiveUp()
    {
        const auto last = m_arrivals.front().second;
        while (!m_waiting.empty() && m_waiting.begin()->first <= last)
        {
            DeliverFirst();
        }
        m_next = last + 1;
        DeliverInOrder();
    }

    /// Schedule GiveUp() for the packet with the longest wait
    void Await()
    {
        while (!m_arrivals.empty() && m_arrivals.front().second < m_next)
        {
            m_arrivals.pop_front();
        }
        if (m_arrivals.empty())
        {
            m_timer.Cancel();
        }
        else if (const auto due = m_arrivals.front().first + m_timeout;
                 !m_timer.IsPending() || m_due != due)
        {
            m_timer.Cancel();
            m_due = due;
            m_timer =
                Simulator::Schedule(due - Simulator::Now(), &ReorderingReceiver::GiveUp, this);
        }
    }

    Ptr<SplitSender> m_sender;                             //!< Sender of the packets
    uint16_t m_port{0};                                    //!< Port of the packets
    Time m_timeout;                                        //!< Longest wait
    Ptr<Socket> m_socket;                                  //!< Receiving socket
    std::array<Packets, SplitSender::PATHS> m_arrived;     //!< Arrived packets on each path
    std::array<uint32_t, SplitSender::PATHS> m_expected{}; //!< Next number on each path
    Packets m_delivered;                                   //!< All delivered packets
    uint32_t m_late{0};                                    //!< Packets that arrived late
    uint32_t m_next{0};                                    //!< Number of the next packet
    std::map<uint32_t, Waiting> m_waiting;                 //!< Waiting packets by number
    std::map<uint32_t, ScriptHook> m_hooks;                //!< Called at deliveries, by number
    std::deque<std::pair<Time, uint32_t>> m_arrivals;      //!< Arrival times of waiting packets
    Time m_due;                                            //!< Time of GiveUp()
    EventId m_timer;                                       //!< Calls GiveUp()
};

NS_OBJECT_ENSURE_REGISTERED(ReorderingReceiver);

} // namespace ns3

#endif // REORDERING_RECEIVER_H
