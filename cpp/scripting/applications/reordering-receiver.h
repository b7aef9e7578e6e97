// SPDX-License-Identifier: GPL-2.0-only

#ifndef REORDERING_RECEIVER_H
#define REORDERING_RECEIVER_H

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
 * @brief Receives the packets of a SplitSender, and delivers them in their order.
 *
 * A packet waits for those before it, at most for Timeout. A packet that arrives when later ones
 * have been delivered is delivered at once.
 */
class ReorderingReceiver : public Application
{
  public:
    /// The counts of packets.
    struct Packets
    {
        uint32_t count{0}; //!< Number
        uint64_t bytes{0}; //!< Payload
        Time delay;        //!< Sum of the times since they were sent
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @param path Number of a path.
     * @return packets that have arrived on it
     */
    const Packets& GetArrived(std::size_t path) const;

    /**
     * @param path Number of a path.
     * @return packets that were sent on it before the last one that has arrived, and have not
     */
    uint32_t GetLost(std::size_t path) const;

    /// @return packets that were delivered
    const Packets& GetDelivered() const;

    /// @return packets that arrived when later ones had been delivered
    uint32_t GetLate() const;

    /// @return the sender, which learns what arrives
    Ptr<SplitSender> GetSender() const;

  private:
    /// A packet that waits for others.
    struct Waiting
    {
        Time sent;      //!< When it was sent
        uint32_t bytes; //!< Payload
    };

    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    void Receive(Ptr<Socket> socket); //!< @param socket Where packets are

    /**
     * Deliver a packet.
     *
     * @param sent When it was sent.
     * @param bytes Payload.
     */
    void Deliver(Time sent, uint32_t bytes);

    void DeliverInOrder(); //!< Deliver packets that wait for none
    void GiveUp();         //!< Deliver packets that have waited for Timeout, and those before them
    void Await();          //!< Schedule GiveUp() for the packet that has waited longest

    Ptr<SplitSender> m_sender;                             //!< Sends
    uint16_t m_port{0};                                    //!< Where packets arrive
    Time m_timeout;                                        //!< Longest wait
    Ptr<Socket> m_socket;                                  //!< Receives
    std::array<Packets, SplitSender::PATHS> m_arrived;     //!< On each path
    std::array<uint32_t, SplitSender::PATHS> m_expected{}; //!< Next number on each path
    Packets m_delivered;                                   //!< In total
    uint32_t m_late{0};                                    //!< Arrived after later ones
    uint32_t m_next{0};                                    //!< Number of the next packet
    std::map<uint32_t, Waiting> m_waiting;                 //!< Packets that wait, by number
    std::deque<std::pair<Time, uint32_t>> m_arrivals;      //!< When packets that wait arrived
    Time m_due;                                            //!< When it is called
    EventId m_timer;                                       //!< Calls GiveUp()
};

} // namespace ns3

#endif /* REORDERING_RECEIVER_H */
