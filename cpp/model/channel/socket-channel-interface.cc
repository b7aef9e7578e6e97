// SPDX-License-Identifier: GPL-2.0-only

#include "socket-channel-interface.h"

#include "private/message-socket.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/opengym-serialization.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SocketChannelInterface");
NS_OBJECT_ENSURE_REGISTERED(SocketChannelInterface);

namespace
{

/**
 * @brief Add a port to an address, unless it has one.
 * @param address an IPv4 or IPv6 address
 * @return the address with port; port 0 lets the stack choose
 */
Address
WithPort(const Address& address)
{
    if (Ipv4Address::IsMatchingType(address))
    {
        return InetSocketAddress(Ipv4Address::ConvertFrom(address), 0);
    }
    if (Ipv6Address::IsMatchingType(address))
    {
        return Inet6SocketAddress(Ipv6Address::ConvertFrom(address), 0);
    }
    NS_ABORT_MSG_UNLESS(InetSocketAddress::IsMatchingType(address) ||
                            Inet6SocketAddress::IsMatchingType(address),
                        "A socket channel needs an IPv4 or IPv6 address of its node, not '"
                            << address << "': has the node an Internet stack and an address?");
    return address;
}

} // namespace

TypeId
SocketChannelInterface::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SocketChannelInterface")
            .SetParent<ChannelInterface>()
            .SetGroupName("defiance")
            .AddAttribute("ConnectTime",
                          "Simulated time before which no connection begins, for networks that "
                          "need time until they carry packets. The later one of both ends counts.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&SocketChannelInterface::m_connectTime),
                          MakeTimeChecker(Time{}));
    return tid;
}

SocketChannelInterface::SocketChannelInterface(Ptr<Node> node,
                                               const Address& localAddress,
                                               TypeId protocol)
    : m_node(node),
      m_localAddress(WithPort(localAddress)),
      m_protocol(protocol)
{
    NS_ABORT_MSG_IF(!node, "A socket channel needs a node, not null");
}

SocketChannelInterface::~SocketChannelInterface() = default;

void
SocketChannelInterface::DoDispose()
{
    if (m_peer)
    {
        const auto isOver = Simulator::IsFinished();
        for (auto* end : {this, m_peer})
        {
            end->Release(isOver);
        }
        EndConnection(ChannelDropReason::CONNECTION_CLOSED);
    }
    m_node = nullptr;
    ChannelInterface::DoDispose();
}

void
SocketChannelInterface::Release(bool isOver)
{
    if (isOver)
    {
        // What is on its way at the end of the simulation is not lost.
        m_socket->Abandon();
        m_undelivered.clear();
    }
    else
    {
        // The stack of the node may be about to go, too.
        m_socket->CloseLater();
    }
    m_socket = nullptr;
}

int
SocketChannelInterface::Send(Ptr<OpenGymDictContainer> data)
{
    NS_LOG_FUNCTION(this << data);
    NS_ABORT_MSG_IF(!data, "A message must not be null");
    const auto payload = SerializeContainer(data);
    const auto header = m_socket ? m_socket->GetHeaderSize() : 0;
    const auto message = DescribeMessage(payload.size(), header + payload.size());
    // A stream queues; the devices of a node take datagrams only once the simulation runs.
    const auto isReady =
        m_socket &&
        (m_socket->IsStream() ||
         (GetConnectionStatus() == ConnectionStatus::CONNECTED && m_node->IsInitialized()));
    if (!isReady)
    {
        NotifyDrop(message, ChannelDropReason::NOT_CONNECTED);
        return -1;
    }
    if (m_socket->IsStream())
    {
        m_undelivered.push_back(message);
    }
    const auto reason = m_socket->Send(payload, message);
    if (reason != ChannelDropReason::NONE)
    {
        NotifyDrop(message, reason);
        return -1;
    }
    NotifyTx(message);
    return static_cast<int>(payload.size());
}

ConnectionStatus
SocketChannelInterface::Connect(Ptr<ChannelInterface> other)
{
    NS_LOG_FUNCTION(this << other);
    NS_ABORT_MSG_IF(!other, "There is no channel to connect with: null was passed");
    const auto peer = DynamicCast<SocketChannelInterface>(other);
    if (m_peer || !peer || peer == this || peer->m_peer)
    {
        return GetConnectionStatus();
    }
    NS_ABORT_MSG_IF(m_protocol != peer->m_protocol,
                    "Both ends of a channel need the same protocol, not "
                        << m_protocol.GetName() << " and " << peer->m_protocol.GetName());
    NS_ABORT_MSG_IF(InetSocketAddress::IsMatchingType(m_localAddress) !=
                        InetSocketAddress::IsMatchingType(peer->m_localAddress),
                    "Both ends of a channel need addresses of the same IP version, not "
                        << m_localAddress << " and " << peer->m_localAddress);
    Attach(PeekPointer(peer));
    peer->Attach(this);
    const auto begin = std::max({m_connectTime, peer->m_connectTime, Simulator::Now()});
    if (begin == Simulator::Now() && !m_socket->IsStream())
    {
        Open();
    }
    else
    {
        // Before the simulation runs, there may be no routes yet for a handshake.
        m_connectEvent =
            Simulator::Schedule(begin - Simulator::Now(), &SocketChannelInterface::Open, this);
    }
    return GetConnectionStatus();
}

void
SocketChannelInterface::Attach(SocketChannelInterface* peer)
{
    m_peer = peer;
    SetConnectionStatus(ConnectionStatus::CONNECTING);
    MessageSocket::Callbacks callbacks;
    callbacks.opened = [this] { SetConnectionStatus(ConnectionStatus::CONNECTED); };
    // A socket must not be closed while it reports its end.
    callbacks.broken = [this] {
        m_brokenEvent = Simulator::ScheduleNow([this] {
            const Ptr<SocketChannelInterface> self(this);
            EndConnection(ChannelDropReason::CONNECTION_FAILED);
        });
    };
    callbacks.received = [this](const std::string& payload, std::optional<ChannelMessage> message) {
        Receive(payload, std::move(message));
    };
    m_socket = MessageSocket::Create(m_node, m_protocol, std::move(callbacks));
}

void
SocketChannelInterface::Open()
{
    for (const auto* end : {this, m_peer})
    {
        end->CheckLocalAddress();
        end->m_socket->Bind(end->m_localAddress);
    }
    m_socket->Connect(m_peer->m_socket->GetBoundAddress());
    // TCP chooses its local address anew when it connects: that of the route.
    m_peer->m_socket->Accept(m_socket->GetBoundAddress());
}

void
SocketChannelInterface::CheckLocalAddress() const
{
    bool isKnown;
    if (InetSocketAddress::IsMatchingType(m_localAddress))
    {
        const auto ipv4 = m_node->GetObject<Ipv4>();
        const auto address = InetSocketAddress::ConvertFrom(m_localAddress).GetIpv4();
        isKnown = ipv4 && ipv4->GetInterfaceForAddress(address) >= 0;
    }
    else
    {
        const auto ipv6 = m_node->GetObject<Ipv6>();
        const auto address = Inet6SocketAddress::ConvertFrom(m_localAddress).GetIpv6();
        isKnown = ipv6 && ipv6->GetInterfaceForAddress(address) >= 0;
    }
    NS_ABORT_MSG_UNLESS(isKnown,
                        "A channel of node " << m_node->GetId() << " is to use " << m_localAddress
                                             << ", which is not an address of this node");
}

void
SocketChannelInterface::Disconnect()
{
    NS_LOG_FUNCTION(this);
    if (m_peer)
    {
        const Ptr<SocketChannelInterface> self(this);
        EndConnection(ChannelDropReason::CONNECTION_CLOSED);
    }
}

void
SocketChannelInterface::EndConnection(ChannelDropReason reason)
{
    const Ptr<SocketChannelInterface> peer{m_peer};
    Detach(reason);
    peer->Detach(reason);
}

void
SocketChannelInterface::Detach(ChannelDropReason reason)
{
    m_peer = nullptr;
    SetConnectionStatus(ConnectionStatus::DISCONNECTED);
    m_connectEvent.Cancel();
    m_brokenEvent.Cancel();
    if (const auto socket = std::exchange(m_socket, nullptr))
    {
        socket->Close();
    }
    for (const auto& message : std::exchange(m_undelivered, {}))
    {
        NotifyDrop(message, reason);
    }
}

Ptr<ChannelInterface>
SocketChannelInterface::GetPeer() const
{
    return m_peer;
}

void
SocketChannelInterface::Receive(const std::string& payload, std::optional<ChannelMessage> message)
{
    const Ptr<SocketChannelInterface> self(this);
    if (m_socket->IsStream())
    {
        message = m_peer->m_undelivered.front();
        m_peer->m_undelivered.pop_front();
    }
    if (!message)
    {
        NotifyDrop(DescribeMessage(payload.size(), payload.size()), ChannelDropReason::FOREIGN);
        return;
    }
    Deliver(*message, DynamicCast<OpenGymDictContainer>(DeserializeContainer(payload)));
}

} // namespace ns3
