// SPDX-License-Identifier: GPL-2.0-only

#ifndef STREAM_MESSAGE_SOCKET_H
#define STREAM_MESSAGE_SOCKET_H

#include "message-framing.h"
#include "message-socket.h"

#include <deque>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A stream of messages, each preceded by its length.
 */
class StreamMessageSocket : public MessageSocket
{
  public:
    using MessageSocket::MessageSocket;

    void Accept(const Address& peer) override;
    void Connect(const Address& peer) override;
    ChannelDropReason Send(const std::string& payload, const ChannelMessage& message) override;
    ChannelDropReason SendBytes(uint32_t bytes,
                                const ChannelMessage& transfer,
                                TransferPart part) override;
    std::size_t GetQueueSize(std::size_t more = 0) const override;
    std::size_t GetHeaderSize() const override;
    bool IsStream() const override;

  private:
    void DoAbandon() override;

    /**
     * @brief Accept a connection of the expected peer, once.
     * @param listener the listening socket
     * @param from address of the connecting peer
     * @return whether the peer may connect
     */
    bool IsExpected(Ptr<Socket> listener, const Address& from);

    /**
     * @brief Continue with the socket of an accepted connection.
     * @param socket the socket
     * @param from address of the connected peer
     */
    void OnAccepted(Ptr<Socket> socket, const Address& from);

    /**
     * @brief Continue after the handshake.
     * @param socket the socket
     */
    void OnConnected(Ptr<Socket> socket);

    /**
     * @brief React to a failure or end of the connection.
     * @param socket the socket
     */
    void OnBroken(Ptr<Socket> socket);

    /**
     * @brief React to room in the send buffer.
     * @param socket the socket
     * @param available free bytes
     */
    void OnWritable(Ptr<Socket> socket, uint32_t available);

    /**
     * @brief Read all received bytes.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket);

    /**
     * @brief Append bytes to the queue for the socket.
     * @param packet the bytes
     */
    void Enqueue(Ptr<Packet> packet);

    /// Give the socket as many bytes as it accepts.
    void Flush();

    Ptr<Socket> m_listener;          //!< Socket that waits for the connection
    Address m_expectedPeer;          //!< The allowed peer
    bool m_isOpen{false};            //!< The connection is complete
    std::deque<Ptr<Packet>> m_queue; //!< Packets that the socket has not accepted yet
    std::size_t m_queueSize{0};      //!< Bytes in the queue
    MessageFraming m_framing;        //!< Assembles received messages
};

} // namespace ns3

#endif /* STREAM_MESSAGE_SOCKET_H */
