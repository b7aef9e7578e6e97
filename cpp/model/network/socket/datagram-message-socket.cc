// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-socket.h"

#include <utility>

namespace ns3
{

namespace
{

/**
 * @brief A message socket with one datagram for each message.
 */
class DatagramMessageSocket : public MessageSocket
{
  public:
    using MessageSocket::MessageSocket;

    void Accept(const Address& peer) override
    {
        m_peer = peer;
        m_socket->Connect(peer);
        m_socket->SetRecvCallback(MakeCallback(&DatagramMessageSocket::Read, this));
        m_callbacks.opened();
    }

    void Connect(const Address& peer) override
    {
        Accept(peer);
    }

    ChannelDropReason Send(const std::string& payload, const ChannelMessage& message) override
    {
        return SendPacket(
            ns3::Create<Packet>(reinterpret_cast<const uint8_t*>(payload.data()), payload.size()),
            ChannelMessageTag(message));
    }

    ChannelDropReason SendBytes(uint32_t bytes,
                                const ChannelMessage& transfer,
                                TransferPart part) override
    {
        return SendPacket(ns3::Create<Packet>(bytes), ChannelMessageTag(transfer, part));
    }

    std::size_t GetQueueSize(std::size_t more = 0) const override
    {
        return 0;
    }

    std::size_t GetHeaderSize() const override
    {
        return 0;
    }

    bool IsStream() const override
    {
        return false;
    }

  private:
    /**
     * @brief Send a datagram.
     * @param packet payload of the datagram
     * @param tag description of the datagram
     * @return NONE, or the reason of a refusal
     */
    ChannelDropReason SendPacket(Ptr<Packet> packet, const ChannelMessageTag& tag)
    {
        if (packet->GetSize() > m_socket->GetTxAvailable())
        {
            return ChannelDropReason::TOO_LARGE;
        }
        packet->AddByteTag(tag);
        return m_socket->Send(packet) < 0 ? ChannelDropReason::SEND_FAILED
                                          : ChannelDropReason::NONE;
    }

    /**
     * @brief Read all datagrams.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket)
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

    Address m_peer; //!< Remote address of datagrams
};

} // namespace

Ptr<MessageSocket>
MessageSocket::MakeDatagram(Ptr<Socket> socket, Callbacks callbacks)
{
    return Ptr<MessageSocket>(new DatagramMessageSocket(socket, std::move(callbacks)), false);
}

} // namespace ns3
