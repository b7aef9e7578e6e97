// SPDX-License-Identifier: GPL-2.0-only

#include "split-sender.h"

#include "split-header.h"

#include "ns3/channel-address.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/packet.h"
#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SplitSender);

namespace
{

const Time PATIENCE = Seconds(1); //!< Time after which saturated traffic is lost

} // namespace

TypeId
SplitSender::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SplitSender")
            .SetParent<Application>()
            .SetGroupName("defiance")
            .AddConstructor<SplitSender>()
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

SplitSender::SplitSender()
    : m_draw(CreateObject<UniformRandomVariable>())
{
}

const Address&
SplitSender::GetRemote(std::size_t path) const
{
    return m_remotes.at(path);
}

const SplitSender::Sent&
SplitSender::GetSent(std::size_t path) const
{
    return m_sent.at(path);
}

void
SplitSender::SetFirst(const Address& address)
{
    m_remotes[0] = address;
}

void
SplitSender::SetSecond(const Address& address)
{
    m_remotes[1] = address;
}

void
SplitSender::SetShare(double share)
{
    m_share = share;
    if (m_runs && m_pattern == SATURATED)
    {
        Fill();
    }
}

double
SplitSender::GetShare() const
{
    return m_share;
}

void
SplitSender::SetRate(DataRate rate)
{
    NS_ABORT_MSG_IF(rate == DataRate(0), "traffic needs a rate of more than 0 bit/s");
    m_rate = rate;
}

DataRate
SplitSender::GetRate() const
{
    return m_rate;
}

void
SplitSender::DoDispose()
{
    m_sockets = {};
    m_draw = nullptr;
    Application::DoDispose();
}

void
SplitSender::StartApplication()
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

void
SplitSender::StopApplication()
{
    m_runs = false;
    m_next.Cancel();
    m_toggle.Cancel();
}

double
SplitSender::DrawExponential()
{
    return -std::log(1 - m_draw->GetValue(0, 1));
}

Time
SplitSender::GetGap(uint32_t bytes) const
{
    return m_rate.CalculateBytesTxTime(bytes);
}

void
SplitSender::SendConstant()
{
    if (m_isOn)
    {
        m_next = Simulator::Schedule(GetGap(m_size), &SplitSender::SendConstant, this);
        Send(ChoosePath(), m_size);
    }
}

void
SplitSender::SendPoisson()
{
    m_next =
        Simulator::Schedule(GetGap(m_size) * DrawExponential(), &SplitSender::SendPoisson, this);
    const auto bytes =
        std::clamp<double>(m_size * DrawExponential(), SplitHeader::BYTES, LARGEST_SIZE);
    const bool isFirst = m_draw->GetValue(0, 1) < m_share;
    Send(isFirst ? 0 : 1, static_cast<uint32_t>(bytes));
}

void
SplitSender::Toggle()
{
    m_isOn = !m_isOn;
    const auto mean = m_isOn ? m_onTime : m_offTime;
    m_toggle = Simulator::Schedule(mean * DrawExponential(), &SplitSender::Toggle, this);
    if (m_isOn && !m_next.IsPending()) // otherwise the next packet of the last on time is still due
    {
        SendConstant();
    }
}

void
SplitSender::Fill()
{
    for (auto path = ChoosePath(); m_sent.at(path).packets - m_arrived.at(path) < m_window;
         path = ChoosePath())
    {
        Send(path, m_size);
    }
}

bool
SplitSender::IsRunning() const
{
    return m_runs;
}

uint32_t
SplitSender::SendOne(uint32_t bytes)
{
    Send(ChoosePath(), bytes);
    return m_number - 1;
}

void
SplitSender::Acknowledge(std::size_t path, uint32_t numberOnPath)
{
    m_arrived.at(path) = std::max(m_arrived.at(path), numberOnPath + 1);
    if (m_runs && m_pattern == SATURATED)
    {
        Fill();
    }
}

void
SplitSender::Release()
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

std::size_t
SplitSender::ChoosePath() const
{
    return m_credit + m_share >= 0.5 ? 0 : 1;
}

void
SplitSender::Send(std::size_t path, uint32_t bytes)
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
                    "traffic has a share of " << m_share << " for the first path, but no second");
    if (m_sockets.at(path)->Send(packet) < 0 && header.numberOnPath == 0)
    {
        std::ostringstream text;
        text << "the first packet of traffic from node " << GetNode()->GetId() << " to "
             << DescribeAddress(m_remotes.at(path)) << " is lost at "
             << Simulator::Now().GetSeconds()
             << " s: has the node a route, as by sc.route_globally()?";
        RlSimulation::Warn(text.str());
    }
}

} // namespace ns3
