// SPDX-License-Identifier: GPL-2.0-only

#include "reordering-receiver.h"

#include "split-header.h"

#include "ns3/channel-address.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReorderingReceiver);

TypeId
ReorderingReceiver::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ReorderingReceiver")
                            .SetParent<Application>()
                            .SetGroupName("defiance")
                            .AddConstructor<ReorderingReceiver>()
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

const ReorderingReceiver::Packets&
ReorderingReceiver::GetArrived(std::size_t path) const
{
    return m_arrived.at(path);
}

uint32_t
ReorderingReceiver::GetLost(std::size_t path) const
{
    return m_expected.at(path) - m_arrived.at(path).count;
}

const ReorderingReceiver::Packets&
ReorderingReceiver::GetDelivered() const
{
    return m_delivered;
}

uint32_t
ReorderingReceiver::GetLate() const
{
    return m_late;
}

Ptr<SplitSender>
ReorderingReceiver::GetSender() const
{
    return m_sender;
}

void
ReorderingReceiver::CallAtDelivery(uint32_t number, ScriptHook function)
{
    m_hooks.emplace(number, std::move(function));
}

void
ReorderingReceiver::DoDispose()
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

void
ReorderingReceiver::StartApplication()
{
    for (std::size_t path = 0; m_sender && path < SplitSender::PATHS; ++path)
    {
        const auto& address = m_sender->GetRemote(path);
        NS_ABORT_MSG_UNLESS(
            address.IsInvalid() ||
                (!IsIpv6Address(address) && !IsLoopback(address) && HasAddress(GetNode(), address)),
            "traffic to node " << GetNode()->GetId() << " needs its IPv4 address, "
                               << "which other nodes reach, and not " << DescribeAddress(address));
    }
    m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
    NS_ABORT_MSG_IF(m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port)) != 0,
                    "port " << m_port << " of node " << GetNode()->GetId()
                            << " has another application: choose another port for this traffic");
    m_socket->SetRecvCallback(MakeCallback(&ReorderingReceiver::Receive, this));
}

void
ReorderingReceiver::StopApplication()
{
    m_timer.Cancel();
    m_socket->Close();
}

void
ReorderingReceiver::Receive(Ptr<Socket> socket)
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

void
ReorderingReceiver::Deliver(uint32_t number, Time sent, uint32_t bytes)
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

void
ReorderingReceiver::DeliverFirst()
{
    const auto packet = m_waiting.extract(m_waiting.begin());
    Deliver(packet.key(), packet.mapped().sent, packet.mapped().bytes);
}

void
ReorderingReceiver::DeliverInOrder()
{
    while (!m_waiting.empty() && m_waiting.begin()->first == m_next)
    {
        ++m_next;
        DeliverFirst();
    }
    Await();
}

void
ReorderingReceiver::GiveUp()
{
    const auto last = m_arrivals.front().second;
    while (!m_waiting.empty() && m_waiting.begin()->first <= last)
    {
        DeliverFirst();
    }
    m_next = last + 1;
    DeliverInOrder();
}

void
ReorderingReceiver::Await()
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
        m_timer = Simulator::Schedule(due - Simulator::Now(), &ReorderingReceiver::GiveUp, this);
    }
}

} // namespace ns3
