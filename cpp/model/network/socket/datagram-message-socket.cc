// SPDX-License-Identifier: GPL-2.0-only

#include "private/datagram-message-socket.h"

namespace ns3
{

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
