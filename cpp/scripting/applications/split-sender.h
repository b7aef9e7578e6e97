// SPDX-License-Identifier: GPL-2.0-only

#ifndef SPLIT_SENDER_H
#define SPLIT_SENDER_H

#include "object-handle.h"
#include "split-header.h"

#include "ns3/application.h"
#include "ns3/channel-address.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/event-id.h"
#include "ns3/object-type.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>

namespace ns3
{

const Time PATIENCE = Seconds(1); //!< Time after which saturated traffic is lost

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
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<SplitSender, Application>("ns3::SplitSender")
                .AddAttribute("Remote",
                              "Address of the receiver on the first path.",
                              AddressValue(),
                              MakeAddressAccessor(&SplitSender::SetFirst),
                              MakeAddressChecker())
                .AddAttribute("SecondRemote",
                              "Address of the receiver on the second path, if there is one.",
                              AddressValue(),
                              MakeAddressAccessor(&SplitSender::SetSecond),
                              MakeAddressChecker())
                .AddAttribute("Pattern",
                              "Pattern of sending.",
                              EnumValue(CONSTANT),
                              MakeEnumAccessor<Pattern>(&SplitSender::m_pattern),
                              MakeEnumChecker(CONSTANT,
                                              "constant",
                                              POISSON,
                                              "poisson",
                                              ON_OFF,
                                              "on-off",
                                              SATURATED,
                                              "saturated",
                                              ON_DEMAND,
                                              "on-demand"))
                .AddAttribute("DataRate",
                              "Payload rate; with on-off, the rate during on times.",
                              DataRateValue(DataRate("1Mbps")),
                              MakeDataRateAccessor(&SplitSender::SetRate, &SplitSender::GetRate),
                              MakeDataRateChecker())
                .AddAttribute("PacketSize",
                              "Payload of a packet in bytes; with poisson, its mean.",
                              UintegerValue(1000),
                              MakeUintegerAccessor(&SplitSender::m_size),
                              MakeUintegerChecker<uint32_t>(SplitHeader::BYTES, LARGEST_SIZE))
                .AddAttribute("OnTime",
                              "Mean of on times.",
                              TimeValue(Seconds(1)),
                              MakeTimeAccessor(&SplitSender::m_onTime),
                              MakeTimeChecker(NanoSeconds(1)))
                .AddAttribute("OffTime",
                              "Mean of off times.",
                              TimeValue(Seconds(1)),
                              MakeTimeAccessor(&SplitSender::m_offTime),
                              MakeTimeChecker(NanoSeconds(1)))
                .AddAttribute("Window",
                              "Maximum number of packets of saturated traffic on a path.",
                              UintegerValue(20),
                              MakeUintegerAccessor(&SplitSender::m_window),
                              MakeUintegerChecker<uint32_t>(1))
                .AddAttribute("Share",
                              "Share of packets on the first path.",
                              DoubleValue(1),
                              MakeDoubleAccessor(&SplitSender::SetShare, &SplitSender::GetShare),
                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    SplitSender()
        : m_draw(CreateObject<UniformRandomVariable>())
    {
    }

    /**
     * @param path Number of a path.
     * @return the receiver's address and port on the path, or an invalid address
     */
    const Address& GetRemote(std::size_t path) const
    {
        return m_remotes.at(path);
    }

    /**
     * @param path Number of a path.
     * @return the packets sent on the path
     */
    const Sent& GetSent(std::size_t path) const
    {
        return m_sent.at(path);
    }

    /// @return whether the application has started, and not ended
    bool IsRunning() const
    {
        return m_runs;
    }

    /**
     * Send a packet now, on the path that keeps the share. The application must be running.
     *
     * @param bytes Payload, from SplitHeader::BYTES to LARGEST_SIZE.
     * @return the number of the packet
     */
    uint32_t SendOne(uint32_t bytes)
    {
        Send(ChoosePath(), bytes);
        return m_number - 1;
    }

    /**
     * Record the arrival of a packet.
     *
     * @param path Number of the packet's path.
     * @param numberOnPath Number of the packet on the path.
     */
    void Acknowledge(std::size_t path, uint32_t numberOnPath)
    {
        m_arrived.at(path) = std::max(m_arrived.at(path), numberOnPath + 1);
        if (m_runs && m_pattern == SATURATED)
        {
            Fill();
        }
    }

  private:
    void DoDispose() override
    {
        m_sockets = {};
        m_draw = nullptr;
        Application::DoDispose();
    }

    void StartApplication() override
    {
        m_runs = true;
        for (std::size_t path = 0; path < PATHS; ++path)
        {
            if (!m_remotes.at(path).IsInvalid())
            {
                m_sockets.at(path) = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
                m_sockets.at(path)->Bind();
                m_sockets.at(path)->Connect(m_remotes.at(path));
                m_sockets.at(path)->ShutdownRecv();
            }
        }
        switch (m_pattern)
        {
        case CONSTANT:
            m_isOn = true;
            SendConstant();
            break;
        case POISSON:
            m_next = Simulator::Schedule(GetGap(m_size) * DrawExponential(),
                                         &SplitSender::SendPoisson,
                                         this);
            break;
        case ON_OFF:
            Toggle();
            break;
        case SATURATED:
            Fill();
            m_toggle = Simulator::Schedule(PATIENCE, &SplitSender::Release, this);
            break;
        case ON_DEMAND:
            break;
        }
    }

    void StopApplication() override
    {
        m_runs = false;
        m_next.Cancel();
        m_toggle.Cancel();
    }

    /// @param address Receiver on the first path
    void SetFirst(const Address& address)
    {
        m_remotes[0] = address;
    }

    /// @param address Receiver on the second path
    void SetSecond(const Address& address)
    {
        m_remotes[1] = address;
    }

    /// @param share Share of packets on the first path
    void SetShare(double share)
    {
        m_share = share;
        if (m_runs && m_pattern == SATURATED)
        {
            Fill();
        }
    }

    /// @return the share of packets on the first path
    double GetShare() const
    {
        return m_share;
    }

    /// @param rate Rate from the next packet on
    void SetRate(DataRate rate)
    {
        NS_ABORT_MSG_IF(rate == DataRate(0), "traffic needs a rate of more than 0 bit/s");
        m_rate = rate;
    }

    /// @return the rate
    DataRate GetRate() const
    {
        return m_rate;
    }

    /// @return a number with mean 1
    double DrawExponential()
    {
        return -std::log(1 - m_draw->GetValue(0, 1));
    }

    /// @return time of bytes at the rate @param bytes Number
    Time GetGap(uint32_t bytes) const
    {
        return m_rate.CalculateBytesTxTime(bytes);
    }

    /// Send, and schedule the next packet
    void SendConstant()
    {
        if (m_isOn)
        {
            m_next = Simulator::Schedule(GetGap(m_size), &SplitSender::SendConstant, this);
            Send(ChoosePath(), m_size);
        }
    }

    /// Send, and draw the next packet
    void SendPoisson()
    {
        m_next = Simulator::Schedule(GetGap(m_size) * DrawExponential(),
                                     &SplitSender::SendPoisson,
                                     this);
        const auto bytes =
            std::clamp<double>(m_size * DrawExponential(), SplitHeader::BYTES, LARGEST_SIZE);
        const bool isFirst = m_draw->GetValue(0, 1) < m_share;
        Send(isFirst ? 0 : 1, static_cast<uint32_t>(bytes));
    }

    /// Begin or end an on time
    void Toggle()
    {
        m_isOn = !m_isOn;
        const auto mean = m_isOn ? m_onTime : m_offTime;
        m_toggle = Simulator::Schedule(mean * DrawExponential(), &SplitSender::Toggle, this);
        if (m_isOn &&
            !m_next.IsPending()) // otherwise the next packet of the last on time is still due
        {
            SendConstant();
        }
    }

    /// Send while the next path's window has room
    void Fill()
    {
        for (auto path = ChoosePath(); m_sent.at(path).packets - m_arrived.at(path) < m_window;
             path = ChoosePath())
        {
            Send(path, m_size);
        }
    }

    /// Give up packets that are long overdue
    void Release()
    {
        m_toggle = Simulator::Schedule(PATIENCE, &SplitSender::Release, this);
        for (std::size_t path = 0; path < PATHS; ++path)
        {
            if (m_arrived.at(path) == m_released.at(path))
            {
                m_arrived.at(path) = m_sent.at(path).packets;
            }
            m_released.at(path) = m_arrived.at(path);
        }
        Fill();
    }

    /// @return the path that keeps the share
    std::size_t ChoosePath() const
    {
        return m_credit + m_share >= 0.5 ? 0 : 1;
    }

    /// @param path Index @param bytes Payload
    void Send(std::size_t path, uint32_t bytes)
    {
        m_credit += m_share - (path == 0 ? 1 : 0);
        SplitHeader header;
        header.number = m_number++;
        header.path = static_cast<uint8_t>(path);
        header.numberOnPath = m_sent.at(path).packets++;
        header.sent = Simulator::Now();
        m_sent.at(path).bytes += bytes;
        const auto packet = Create<Packet>(bytes - SplitHeader::BYTES);
        packet->AddHeader(header);
        NS_ABORT_MSG_IF(!m_sockets.at(path),
                        "traffic has a share of " << m_share
                                                  << " for the first path, but no second");
        if (m_sockets.at(path)->Send(packet) < 0 && header.numberOnPath == 0)
        {
            std::ostringstream text;
            text << "the first packet of traffic from " << DescribeNode(GetNode()) << " to "
                 << DescribeAddress(m_remotes.at(path)) << " is lost at "
                 << Simulator::Now().GetSeconds()
                 << " s: has the node a route, as by sc.route_globally()?";
            RlSimulation::Warn(text.str());
        }
    }

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

NS_OBJECT_ENSURE_REGISTERED(SplitSender);

} // namespace ns3

#endif // SPLIT_SENDER_H
