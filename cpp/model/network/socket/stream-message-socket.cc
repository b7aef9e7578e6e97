// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-socket.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("StreamMessageSocket");

namespace
{

/**
 * @brief Begin a frame.
 * @param size bytes of the message
 * @return the header
 */
std::string
BeginFrame(std::size_t size)
{
    NS_ABORT_MSG_IF(size > std::numeric_limits<uint32_t>::max(),
                    "A message of " << size << " bytes exceeds the limit of 4 GiB");
    std::string frame;
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        frame.push_back(static_cast<char>(size >> shift & 0xff));
    }
    return frame;
}

/**
 * @brief Make a packet.
 * @param bytes content of the packet
 * @return the packet
 */
Ptr<Packet>
MakePacket(const std::string& bytes)
{
    return ns3::Create<Packet>(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

/**
 * @brief Splits a stream of bytes into messages. Each message follows its length, 4 bytes
 * big-endian.
 */
class MessageFraming
{
  public:
    static constexpr std::size_t HEADER_SIZE{4}; //!< Bytes in front of each message

    /**
     * @brief Make the header of a message.
     * @param size bytes of the message; at most 4 GiB
     * @return the header
     */
    static Ptr<Packet> MakeHeader(std::size_t size)
    {
        return MakePacket(BeginFrame(size));
    }

    /**
     * @brief Prepend the length to a message.
     * @param payload the message
     * @return the bytes for the stream
     */
    static Ptr<Packet> Frame(const std::string& payload)
    {
        return MakePacket(BeginFrame(payload.size()) + payload);
    }

    /**
     * @brief Append the next bytes of the stream.
     * @param packet the bytes
     */
    void Append(Ptr<const Packet> packet)
    {
        m_buffer.erase(0, m_offset);
        m_offset = 0;
        const auto oldSize = m_buffer.size();
        m_buffer.resize(oldSize + packet->GetSize());
        packet->CopyData(reinterpret_cast<uint8_t*>(m_buffer.data()) + oldSize, packet->GetSize());
    }

    /**
     * @brief Get the next message.
     * @return the message, or nothing while it is incomplete
     */
    std::optional<std::string> Next()
    {
        if (m_buffer.size() - m_offset < HEADER_SIZE)
        {
            return std::nullopt;
        }
        std::size_t size = 0;
        for (std::size_t i = 0; i < HEADER_SIZE; ++i)
        {
            size = size << 8 | static_cast<uint8_t>(m_buffer[m_offset + i]);
        }
        if (m_buffer.size() - m_offset - HEADER_SIZE < size)
        {
            return std::nullopt;
        }
        auto payload = m_buffer.substr(m_offset + HEADER_SIZE, size);
        m_offset += HEADER_SIZE + size;
        return payload;
    }

  private:
    std::string m_buffer;    //!< Received bytes
    std::size_t m_offset{0}; //!< Start of the next message in the buffer
};

/**
 * @brief A stream of messages, each preceded by its length.
 */
class StreamMessageSocket : public MessageSocket
{
  public:
    using MessageSocket::MessageSocket;

    void Accept(const Address& peer) override
    {
        m_expectedPeer = peer;
        m_listener = m_socket;
        // A half-open connection has these callbacks, too, and may outlive the listening socket.
        const Ptr<StreamMessageSocket> self(this);
        m_listener->SetAcceptCallback(MakeCallback(&StreamMessageSocket::IsExpected, self),
                                      MakeCallback(&StreamMessageSocket::OnAccepted, self));
        m_listener->Listen();
    }

    void Connect(const Address& peer) override
    {
        m_socket->SetConnectCallback(MakeCallback(&StreamMessageSocket::OnConnected, this),
                                     MakeCallback(&StreamMessageSocket::OnBroken, this));
        if (m_socket->Connect(peer) < 0)
        {
            OnBroken(m_socket);
        }
    }

    ChannelDropReason Send(const std::string& payload, const ChannelMessage& message) override
    {
        Enqueue(MessageFraming::Frame(payload));
        Flush();
        return ChannelDropReason::NONE;
    }

    ChannelDropReason SendBytes(uint32_t bytes,
                                const ChannelMessage& transfer,
                                TransferPart part) override
    {
        Enqueue(MessageFraming::MakeHeader(bytes));
        // A packet without content takes no memory.
        Enqueue(ns3::Create<Packet>(bytes));
        Flush();
        return ChannelDropReason::NONE;
    }

    std::size_t GetQueueSize(std::size_t more = 0) const override
    {
        const auto waiting = m_queueSize + more;
        const std::size_t room = m_isOpen ? m_socket->GetTxAvailable() : 0;
        return waiting - std::min(waiting, room);
    }

    std::size_t GetHeaderSize() const override
    {
        return MessageFraming::HEADER_SIZE;
    }

    bool IsStream() const override
    {
        return true;
    }

  private:
    void DoAbandon() override
    {
        m_isOpen = false;
        m_queue.clear();
        m_queueSize = 0;
        m_listener = nullptr;
    }

    /**
     * @brief Accept a connection of the expected peer, once.
     * @param listener the listening socket
     * @param from address of the connecting peer
     * @return whether the peer may connect
     */
    bool IsExpected(Ptr<Socket> listener, const Address& from)
    {
        return m_listener && from == m_expectedPeer;
    }

    /**
     * @brief Continue with the socket of an accepted connection.
     * @param socket the socket
     * @param from address of the connected peer
     */
    void OnAccepted(Ptr<Socket> socket, const Address& from)
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

    /**
     * @brief Continue after the handshake.
     * @param socket the socket
     */
    void OnConnected(Ptr<Socket> socket)
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

    /**
     * @brief React to a failure or end of the connection.
     * @param socket the socket
     */
    void OnBroken(Ptr<Socket> socket)
    {
        NS_LOG_LOGIC(this << " connection failed or ended, error " << socket->GetErrno());
        m_callbacks.broken();
    }

    /**
     * @brief React to room in the send buffer.
     * @param socket the socket
     * @param available free bytes
     */
    void OnWritable(Ptr<Socket> socket, uint32_t available)
    {
        Flush();
    }

    /**
     * @brief Read all received bytes.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket)
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

    /**
     * @brief Append bytes to the queue for the socket.
     * @param packet the bytes
     */
    void Enqueue(Ptr<Packet> packet)
    {
        m_queue.push_back(packet);
        m_queueSize += packet->GetSize();
    }

    /// Give the socket as many bytes as it accepts.
    void Flush()
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

    Ptr<Socket> m_listener;          //!< Socket that waits for the connection
    Address m_expectedPeer;          //!< The allowed peer
    bool m_isOpen{false};            //!< The connection is complete
    std::deque<Ptr<Packet>> m_queue; //!< Packets that the socket has not accepted yet
    std::size_t m_queueSize{0};      //!< Bytes in the queue
    MessageFraming m_framing;        //!< Assembles received messages
};

} // namespace

Ptr<MessageSocket>
MessageSocket::MakeStream(Ptr<Socket> socket, Callbacks callbacks)
{
    return Ptr<MessageSocket>(new StreamMessageSocket(socket, std::move(callbacks)), false);
}

} // namespace ns3
