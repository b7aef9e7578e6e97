// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-socket.h"

#include "private/stream-message-socket.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/simulator.h"
#include "ns3/socket-factory.h"

namespace ns3
{

Ptr<MessageSocket>
MessageSocket::Create(Ptr<Node> node, TypeId protocol, Callbacks callbacks)
{
    const auto factory = node->GetObject<SocketFactory>(protocol);
    NS_ABORT_MSG_IF(!factory,
                    "Node " << node->GetId() << " has no " << protocol.GetName()
                            << ": install an Internet stack on it before it connects a channel");
    const auto socket = factory->CreateSocket();
    if (socket->GetSocketType() == Socket::NS3_SOCK_STREAM)
    {
        return Ptr<MessageSocket>(new StreamMessageSocket(socket, std::move(callbacks)), false);
    }
    return Ptr<MessageSocket>(new DatagramMessageSocket(socket, std::move(callbacks)), false);
}

MessageSocket::MessageSocket(Ptr<Socket> socket, Callbacks callbacks)
    : m_socket(socket),
      m_callbacks(std::move(callbacks))
{
}

MessageSocket::~MessageSocket() = default;

void
MessageSocket::Bind(const Address& address)
{
    const auto status = m_socket->Bind(address);
    NS_ABORT_MSG_IF(status != 0,
                    "Cannot bind a channel to " << DescribeAddress(address)
                                                << ": is its port already in use?");
}

Address
MessageSocket::GetBoundAddress() const
{
    Address address;
    m_socket->GetSockName(address);
    return address;
}

void
MessageSocket::Silence(Ptr<Socket> socket)
{
    const auto none = MakeNullCallback<void, Ptr<Socket>>();
    socket->SetConnectCallback(none, none);
    socket->SetCloseCallbacks(none, none);
    socket->SetRecvCallback(none);
    socket->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
    socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                              MakeNullCallback<void, Ptr<Socket>, const Address&>());
}

void
MessageSocket::Abandon()
{
    DoAbandon();
    Silence(m_socket);
    m_socket = nullptr;
    m_callbacks = {};
}

void
MessageSocket::DoAbandon()
{
}

void
MessageSocket::Close()
{
    const auto socket = m_socket;
    Abandon();
    socket->Close();
}

void
MessageSocket::CloseLater()
{
    const auto socket = m_socket;
    Abandon();
    Simulator::ScheduleNow([socket] { socket->Close(); });
}

void
DatagramMessageSocket::Accept(const Address& peer)
{
    m_peer = peer;
    m_socket->Connect(peer);
    m_socket->SetRecvCallback(MakeCallback(&DatagramMessageSocket::Read, this));
    m_callbacks.opened();
}

void
DatagramMessageSocket::Connect(const Address& peer)
{
    Accept(peer);
}

ChannelDropReason
DatagramMessageSocket::Send(const std::string& payload, const ChannelMessage& message)
{
    return SendPacket(
        ns3::Create<Packet>(reinterpret_cast<const uint8_t*>(payload.data()), payload.size()),
        ChannelMessageTag(message));
}

ChannelDropReason
DatagramMessageSocket::SendBytes(uint32_t bytes, const ChannelMessage& transfer, TransferPart part)
{
    return SendPacket(ns3::Create<Packet>(bytes), ChannelMessageTag(transfer, part));
}

ChannelDropReason
DatagramMessageSocket::SendPacket(Ptr<Packet> packet, const ChannelMessageTag& tag)
{
    if (packet->GetSize() > m_socket->GetTxAvailable())
    {
        return ChannelDropReason::TOO_LARGE;
    }
    packet->AddByteTag(tag);
    return m_socket->Send(packet) < 0 ? ChannelDropReason::SEND_FAILED : ChannelDropReason::NONE;
}

std::size_t
DatagramMessageSocket::GetQueueSize(std::size_t more) const
{
    return 0;
}

std::size_t
DatagramMessageSocket::GetHeaderSize() const
{
    return 0;
}

bool
DatagramMessageSocket::IsStream() const
{
    return false;
}

void
DatagramMessageSocket::Read(Ptr<Socket> socket)
{
    const Ptr<DatagramMessageSocket> self(this);
    Address from;
    // A message may lead to the end of the connection.
    while (const auto packet = m_socket ? socket->RecvFrom(from) : nullptr)
    {
        std::string payload(packet->GetSize(), '\0');
        packet->CopyData(reinterpret_cast<uint8_t*>(payload.data()), payload.size());
        std::optional<ChannelMessage> message;
        ChannelMessageTag tag;
        if (from == m_peer && packet->FindFirstMatchingByteTag(tag))
        {
            message = tag.Describe(payload.size());
        }
        if (tag.GetPart().count > 0)
        {
            m_callbacks.receivedPart(*message, tag.GetPart());
        }
        else
        {
            m_callbacks.received(payload, message);
        }
    }
}

} // namespace ns3
