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
 * With Poisson arrivals, a packet takes the first path with the probability Share; otherwise shares
 * are kept packet by packet. Only saturated traffic depends on arrivals.
 */
class SplitSender : public Application
{
  public:
    static constexpr std::size_t PATHS = 2;          //!< Maximum number of paths
    static constexpr uint32_t LARGEST_SIZE = 60'000; //!< Payload that UDP can carry in a packet

    /// The times of sending.
    enum Pattern : uint8_t
    {
        CONSTANT,  //!< At a constant rate
        POISSON,   //!< A Poisson process; sizes are exponentially distributed
        ON_OFF,    //!< At a constant rate in exponentially distributed on times
        SATURATED, //!< Whenever fewer than Window packets are on the next packet's path
        ON_DEMAND  //!< At each call of SendOne()
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
     * @return the receiver's address and port on the path, or an invalid address
     */
    const Address& GetRemote(std::size_t path) const;

    /**
     * @param path Number of a path.
     * @return the packets sent on the path
     */
    const Sent& GetSent(std::size_t path) const;

    /// @return whether the application has started, and not ended
    bool IsRunning() const;

    /**
     * Send a packet now, on the path that keeps the share. The application must be running.
     *
     * @param bytes Payload, from SplitHeader::BYTES to LARGEST_SIZE.
     * @return the number of the packet
     */
    uint32_t SendOne(uint32_t bytes);

    /**
     * Record the arrival of a packet.
     *
     * @param path Number of the packet's path.
     * @param numberOnPath Number of the packet on the path.
     */
    void Acknowledge(std::size_t path, uint32_t numberOnPath);

  private:
    void DoDispose() override;
    void StartApplication() override;
    void StopApplication() override;

    void SetFirst(const Address& address);  //!< @param address Receiver on the first path
    void SetSecond(const Address& address); //!< @param address Receiver on the second path
    void SetShare(double share);            //!< @param share Share of packets on the first path
    double GetShare() const;                //!< @return the share of packets on the first path
    void SetRate(DataRate rate);            //!< @param rate Rate from the next packet on
    DataRate GetRate() const;               //!< @return the rate

    double DrawExponential();          //!< @return a number with mean 1
    Time GetGap(uint32_t bytes) const; //!< @return time of bytes at the rate @param bytes Number
    void SendConstant();               //!< Send, and schedule the next packet
    void SendPoisson();                //!< Send, and draw the next packet
    void Toggle();                     //!< Begin or end an on time
    void Fill();                       //!< Send while the next path's window has room
    void Release();                    //!< Give up packets that are long overdue
    std::size_t ChoosePath() const;    //!< @return the path that keeps the share
    void Send(std::size_t path, uint32_t bytes); //!< @param path Index @param bytes Payload

    std::array<Address, PATHS> m_remotes;     //!< Receiver's address on each path
    std::array<Ptr<Socket>, PATHS> m_sockets; //!< Socket of each path
    std::array<Sent, PATHS> m_sent;           //!< Sent packets on each path
    std::array<uint32_t, PATHS> m_arrived{};  //!< Last packet that arrived on each path
    std::array<uint32_t, PATHS> m_released{}; //!< m_arrived at the last call of Release()
    Pattern m_pattern{CONSTANT};              //!< Pattern of sending
    DataRate m_rate;                          //!< Rate of the payload
    uint32_t m_size{0};                       //!< Payload of a packet, or its mean
    Time m_onTime;                            //!< Mean of on times
    Time m_offTime;                           //!< Mean of off times
    uint32_t m_window{0};                     //!< Maximum packets of saturated traffic on a path
    double m_share{1};                        //!< Share of packets on the first path
    double m_credit{0};                       //!< Packets that the first path lacks
    bool m_isOn{false};                       //!< Packets are sent
    bool m_runs{false};                       //!< The application has started, and not ended
    uint32_t m_number{0};                     //!< Number of the next packet
    Ptr<UniformRandomVariable> m_draw;        //!< Draws gaps, sizes, paths, on and off times
    EventId m_next;                           //!< The next packet
    EventId m_toggle;                         //!< The next change of m_isOn, or Release()
};

} // namespace ns3

#endif /* SPLIT_SENDER_H */
