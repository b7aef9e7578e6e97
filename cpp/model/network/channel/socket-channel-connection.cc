// SPDX-License-Identifier: GPL-2.0-only

// Connecting, disconnecting and moving the two ends of a SocketChannelInterface.

#include "message-socket.h"
#include "socket-channel-interface.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SocketChannelConnection");

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
    NS_ABORT_MSG_IF(IsIpv6Address(m_localAddress) != IsIpv6Address(peer->m_localAddress),
                    "Both ends of a channel need addresses of the same IP version, not "
                        << DescribeAddress(m_localAddress) << " and "
                        << DescribeAddress(peer->m_localAddress));
    Attach(PeekPointer(peer));
    peer->Attach(this);
    m_isOpener = true;
    peer->m_isOpener = false;
    const auto begin = std::max({m_connectTime, peer->m_connectTime, Simulator::Now()});
    if (begin == Simulator::Now() && !m_socket->IsStream())
    {
        Open();
    }
    else
    {
        // Before the simulation runs, there may be no routes for a handshake yet.
        m_connectEvent =
            Simulator::Schedule(begin - Simulator::Now(), &SocketChannelInterface::Open, this);
    }
    return GetConnectionStatus();
}

void
SocketChannelInterface::Attach(SocketChannelInterface* peer)
{
    m_peer = peer;
    m_reconnectEvent.Cancel();
    SetConnectionStatus(ConnectionStatus::CONNECTING);
    MessageSocket::Callbacks callbacks;
    callbacks.opened = [this] { SetConnectionStatus(ConnectionStatus::CONNECTED); };
    // A socket must not be closed while it reports its end.
    callbacks.broken = [this] {
        m_brokenEvent = Simulator::ScheduleNow(&SocketChannelInterface::GiveUp, this);
    };
    callbacks.received = [this](const std::string& payload, std::optional<ChannelMessage> message) {
        Receive(payload, std::move(message));
    };
    callbacks.receivedPart = [this](const ChannelMessage& message, TransferPart part) {
        ReceivePart(message, part);
    };
    m_socket = MessageSocket::Create(m_node, m_protocol, std::move(callbacks));
}

void
SocketChannelInterface::Open()
{
    for (const auto* end : {this, m_peer})
    {
        NS_ABORT_MSG_UNLESS(HasAddress(end->m_node, end->m_localAddress),
                            "A channel of node " << end->m_node->GetId() << " is to use "
                                                 << DescribeAddress(end->m_localAddress)
                                                 << ", which is not an address of this node");
        NS_ABORT_MSG_IF(IsLoopback(end->m_localAddress) && m_node != m_peer->m_node,
                        "A channel between nodes " << m_node->GetId() << " and "
                                                   << m_peer->m_node->GetId() << " is to use "
                                                   << DescribeAddress(end->m_localAddress)
                                                   << ", which only its own node reaches: link "
                                                      "the node with others before");
        end->m_socket->Bind(end->m_localAddress);
    }
    m_socket->Connect(m_peer->m_socket->GetBoundAddress());
    // When TCP connects, it replaces its local address by the route's.
    m_peer->m_socket->Accept(m_socket->GetBoundAddress());
}

void
SocketChannelInterface::GiveUp()
{
    const Ptr<SocketChannelInterface> self(this);
    const Ptr<SocketChannelInterface> peer{m_peer};
    EndConnection(ChannelDropReason::CONNECTION_FAILED);
    auto* opener = PeekPointer(m_isOpener ? self : peer);
    auto* accepter = PeekPointer(m_isOpener ? peer : self);
    if (opener->m_reconnectDelay.IsStrictlyPositive())
    {
        // Either end cancels this before it dies.
        m_reconnectEvent = Simulator::Schedule(opener->m_reconnectDelay,
                                               [opener, accepter] { opener->Connect(accepter); });
        peer->m_reconnectEvent = m_reconnectEvent;
    }
}

void
SocketChannelInterface::Disconnect()
{
    NS_LOG_FUNCTION(this);
    m_reconnectEvent.Cancel();
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
    m_partEvent.Cancel();
    m_unsent.clear();
    m_nextPart = 0;
    if (const auto socket = std::exchange(m_socket, nullptr))
    {
        socket->Close();
    }
    for (const auto& message : std::exchange(m_undelivered, {}))
    {
        NotifyDrop(message, reason);
    }
}

void
SocketChannelInterface::MoveTo(Ptr<Node> node, const Address& address)
{
    NS_LOG_FUNCTION(this << node << address);
    NS_ABORT_MSG_IF(!node, "A socket channel needs a node, not null");
    const auto isIpv6 = IsIpv6Address(m_localAddress);
    auto host = address;
    if (host.IsInvalid() || IsIpv6Address(host) != isIpv6)
    {
        host = isIpv6 ? FindDefaultIpv6Address(node) : FindDefaultIpv4Address(node);
    }
    const Ptr<SocketChannelInterface> self(this);
    const Ptr<SocketChannelInterface> peer{m_peer};
    if (peer)
    {
        EndConnection(ChannelDropReason::CONNECTION_CLOSED);
    }
    m_localAddress = AddPort(host, GetPort(m_localAddress));
    m_node = node;
    if (peer)
    {
        m_isOpener ? Connect(peer) : peer->Connect(self);
    }
}

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
    m_reconnectEvent.Cancel();
    m_node = nullptr;
    ChannelInterface::DoDispose();
}

void
SocketChannelInterface::Release(bool isOver)
{
    if (isOver)
    {
        // A message under way at the end of the simulation is not lost.
        m_socket->Abandon();
        m_undelivered.clear();
    }
    else
    {
        // The node's stack may be about to be destroyed, too.
        m_socket->CloseLater();
    }
    m_socket = nullptr;
}

} // namespace ns3
