// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_SENDER_H
#define SPLIT_SENDER_H

#include "ns3/application.h"
#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/socket.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @brief Sends packets over UDP to one address, or to two addresses of a receiver.
 *
 * A packet takes the first path with the probability Share where arrivals are Poisson; otherwise
 * shares are kept packet by packet. Only saturated traffic depends on what has arrived.
 */
class SplitSender : public Application
{
  public:
    static constexpr std::size_t PATHS = 2; //!< Most paths

    /// When packets are sent.
    enum Pattern : uint8_t
    {
        CONSTANT, //!< At a constant rate
        POISSON,  //!< A Poisson process; sizes are exponentially distributed
        ON_OFF,   //!< At a constant rate in exponentially distributed on times
        SATURATED //!< Whenever fewer than Window packets are on the next packet's path
    };

    /// The packets that were sent on a path.
    struct Sent
    {
        uint32_t packets{0}; //!< Number
        uint64_t bytes{0};   //!< Payload
    };

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    SplitSender();

    /**
     * @param path Number of a path.
     * @return what was sent on it
     */
    const Sent& GetSent(std::size_t path) const;

    /**
     * Learn that a packet has arrived.
     *
     * @param path Number of its path.
     * @param numberOnPath Its number on the path.
     */
    void Acknowledge(std::size_t path, uint32_t numberOnPath);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    void SetFirst(const Address& address);  //!< @param address Of the receiver on the first path
    void SetSecond(const Address& address); //!< @param address Of the receiver on the second path
    void SetShare(double share);            //!< @param share Of packets on the first path
    double GetShare() const;                //!< @return the share of packets on the first path
    void SetRate(DataRate rate);            //!< @param rate In effect from the next packet on
    DataRate GetRate() const;               //!< @return the rate

    double DrawExponential();          //!< @return a number, of mean 1
    Time GetGap(uint32_t bytes) const; //!< @return time of bytes at the rate @param bytes Number
    void SendConstant();               //!< Send, and schedule the next packet
    void SendPoisson();                //!< Send, and draw the next packet
    void Toggle();                     //!< Begin or end an on time
    void Fill();                       //!< Send while the window of the next path has room
    void Release();                    //!< Give up packets that have not arrived for long
    std::size_t ChoosePath() const;    //!< @return the path that keeps the share
    void Send(std::size_t path, uint32_t bytes); //!< @param path Where @param bytes Payload

    std::array<Address, PATHS> m_remotes;     //!< Receiver's address on each path
    std::array<Ptr<Socket>, PATHS> m_sockets; //!< Of each path
    std::array<Sent, PATHS> m_sent;           //!< On each path
    std::array<uint32_t, PATHS> m_arrived{};  //!< Packets on each path up to the last that arrived
    std::array<uint32_t, PATHS> m_released{}; //!< The same, when Release() was called last
    Pattern m_pattern{CONSTANT};              //!< When packets are sent
    DataRate m_rate;                          //!< Of payload
    uint32_t m_size{0};                       //!< Payload of a packet, or its mean
    Time m_onTime;                            //!< Mean of on times
    Time m_offTime;                           //!< Mean of off times
    uint32_t m_window{0};                     //!< Most packets on a path of saturated traffic
    double m_share{1};                        //!< Of packets on the first path
    double m_credit{0};                       //!< Packets that the first path lacks to its share
    bool m_isOn{false};                       //!< Packets are sent
    bool m_runs{false};                       //!< The application has started, and not ended
    uint32_t m_number{0};                     //!< Of the next packet
    Ptr<UniformRandomVariable> m_draw;        //!< Gaps, sizes, paths, on and off times
    EventId m_next;                           //!< The next packet
    EventId m_toggle;                         //!< The next change of m_isOn, or Release()
};

} // namespace ns3

#endif /* SPLIT_SENDER_H */
