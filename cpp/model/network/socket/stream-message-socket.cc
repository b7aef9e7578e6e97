// SPDX-License-Identifier: GPL-2.0-only

#include "private/stream-message-socket.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("StreamMessageSocket");

void
StreamMessageSocket::Accept(const Address& peer)
{
    m_expectedPeer = peer;
    m_listener = m_socket;
    // A half-open connection has these callbacks, too, and may outlive the listening socket.
    const Ptr<StreamMessageSocket> self(this);
    m_listener->SetAcceptCallback(MakeCallback(&StreamMessageSocket::IsExpected, self),
                                  MakeCallback(&StreamMessageSocket::OnAccepted, self));
    m_listener->Listen();
}

void
StreamMessageSocket::Connect(const Address& peer)
{
    m_socket->SetConnectCallback(MakeCallback(&StreamMessageSocket::OnConnected, this),
                                 MakeCallback(&StreamMessageSocket::OnBroken, this));
    if (m_socket->Connect(peer) < 0)
    {
        OnBroken(m_socket);
    }
}

bool
StreamMessageSocket::IsExpected(Ptr<Socket> listener, const Address& from)
{
    return m_listener && from == m_expectedPeer;
}

void
StreamMessageSocket::OnAccepted(Ptr<Socket> socket, const Address& from)
{
    const Ptr<StreamMessageSocket> self(this);
    ClearCallbacks(socket);
    if (!m_listener)
    {
        socket->Close();
        return;
    }
    m_socket = socket;
    ClearCallbacks(m_listener);
    m_listener->Close();
    m_listener = nullptr;
    OnConnected(socket);
}

void
StreamMessageSocket::OnConnected(Ptr<Socket> socket)
{
    const Ptr<StreamMessageSocket> self(this);
    socket->SetCloseCallbacks(MakeCallback(&StreamMessageSocket::OnBroken, this),
                              MakeCallback(&StreamMessageSocket::OnBroken, this));
    socket->SetRecvCallback(MakeCallback(&StreamMessageSocket::Read, this));
    socket->SetSendCallback(MakeCallback(&StreamMessageSocket::OnWritable, this));
    m_isOpen = true;
    m_callbacks.opened();
    Flush();
    Read(socket);
}

void
StreamMessageSocket::OnBroken(Ptr<Socket> socket)
{
    NS_LOG_LOGIC(this << " connection failed or ended, error " << socket->GetErrno());
    m_callbacks.broken();
}

void
StreamMessageSocket::OnWritable(Ptr<Socket> socket, uint32_t available)
{
    Flush();
}

ChannelDropReason
StreamMessageSocket::Send(const std::string& payload, const ChannelMessage& message)
{
    Enqueue(MessageFraming::Frame(payload));
    Flush();
    return ChannelDropReason::NONE;
}

ChannelDropReason
StreamMessageSocket::SendBytes(uint32_t bytes, const ChannelMessage& transfer, TransferPart part)
{
    Enqueue(MessageFraming::MakeHeader(bytes));
    // A packet without content takes no memory.
    Enqueue(ns3::Create<Packet>(bytes));
    Flush();
    return ChannelDropReason::NONE;
}

void
StreamMessageSocket::Enqueue(Ptr<Packet> packet)
{
    m_queue.push_back(packet);
    m_queueSize += packet->GetSize();
}

void
StreamMessageSocket::Flush()
{
    while (m_isOpen && !m_queue.empty())
    {
        auto& frame = m_queue.front();
        const auto size = std::min(frame->GetSize(), m_socket->GetTxAvailable());
        const auto taken = size > 0 ? m_socket->Send(frame->CreateFragment(0, size)) : 0;
        if (taken <= 0)
        {
            return;
        }
        frame->RemoveAtStart(taken);
        m_queueSize -= taken;
        if (frame->GetSize() == 0)
        {
            m_queue.pop_front();
        }
    }
}

std::size_t
StreamMessageSocket::GetQueueSize(std::size_t more) const
{
    const auto waiting = m_queueSize + more;
    const std::size_t room = m_isOpen ? m_socket->GetTxAvailable() : 0;
    return waiting - std::min(waiting, room);
}

std::size_t
StreamMessageSocket::GetHeaderSize() const
{
    return MessageFraming::HEADER_SIZE;
}

bool
StreamMessageSocket::IsStream() const
{
    return true;
}

void
StreamMessageSocket::DoAbandon()
{
    m_isOpen = false;
    m_queue.clear();
    m_queueSize = 0;
    m_listener = nullptr;
}

void
StreamMessageSocket::Read(Ptr<Socket> socket)
{
    const Ptr<StreamMessageSocket> self(this);
    while (const auto packet = m_isOpen ? socket->Recv() : nullptr)
    {
        m_framing.Append(packet);
        // A message may lead to the end of the connection.
        while (const auto payload = m_isOpen ? m_framing.Next() : std::nullopt)
        {
            m_callbacks.received(*payload, std::nullopt);
        }
    }
}

} // namespace ns3
