// SPDX-License-Identifier: GPL-2.0-only

#ifndef REORDERING_RECEIVER_H
#define REORDERING_RECEIVER_H

#include "script-hook.h"
#include "split-sender.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

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
    static TypeId GetTypeId();

    /**
     * @param path Number of a path.
     * @return packets that have arrived on the path
     */
    const Packets& GetArrived(std::size_t path) const;

    /**
     * @param path Number of a path.
     * @return missing packets that were sent on the path before the last arrived packet
     */
    uint32_t GetLost(std::size_t path) const;

    /// @return delivered packets
    const Packets& GetDelivered() const;

    /// @return packets that arrived after the delivery of later packets
    uint32_t GetLate() const;

    /// @return the sender, which is informed of arrivals
    Ptr<SplitSender> GetSender() const;

    /**
     * Call a function when a packet is delivered. Lost packets are never delivered.
     *
     * @param number Number of a packet that has not been delivered.
     * @param function The function.
     */
    void CallAtDelivery(uint32_t number, ScriptHook function);

  private:
    /// A packet that waits for others.
    struct Waiting
    {
        Time sent;      //!< Time of sending
        uint32_t bytes; //!< Payload
    };

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    void Receive(Ptr<Socket> socket); //!< @param socket Socket with packets

    /**
     * Deliver a packet.
     *
     * @param number Number of the packet.
     * @param sent Time of sending.
     * @param bytes Payload.
     */
    void Deliver(uint32_t number, Time sent, uint32_t bytes);

    void DeliverFirst();   //!< Deliver the waiting packet with the smallest number
    void DeliverInOrder(); //!< Deliver packets that wait for none
    void GiveUp();         //!< Deliver packets whose Timeout has passed, and earlier packets
    void Await();          //!< Schedule GiveUp() for the packet with the longest wait

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

} // namespace ns3

#endif /* REORDERING_RECEIVER_H */
