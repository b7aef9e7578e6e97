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
 * @brief A stream of messages, each with its length in front.
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
     * @brief Let the expected peer connect, once.
     * @param listener the listening socket
     * @param from who wants to connect
     * @return whether it may
     */
    bool IsExpected(Ptr<Socket> listener, const Address& from);

    /**
     * @brief Continue with the socket of an accepted connection.
     * @param socket the socket
     * @param from who has connected
     */
    void OnAccepted(Ptr<Socket> socket, const Address& from);

    /**
     * @brief The handshake is finished.
     * @param socket the socket
     */
    void OnConnected(Ptr<Socket> socket);

    /**
     * @brief The connection failed or ended.
     * @param socket the socket
     */
    void OnBroken(Ptr<Socket> socket);

    /**
     * @brief There is room in the send buffer.
     * @param socket the socket
     * @param available bytes
     */
    void OnWritable(Ptr<Socket> socket, uint32_t available);

    /**
     * @brief Read all that has arrived.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket);

    /**
     * @brief Put bytes behind those that wait for the socket.
     * @param packet the bytes
     */
    void Enqueue(Ptr<Packet> packet);

    /// Give the socket as much as it takes.
    void Flush();

    Ptr<Socket> m_listener;          //!< Waits for the connection
    Address m_expectedPeer;          //!< The allowed peer
    bool m_isOpen{false};            //!< The connection stands
    std::deque<Ptr<Packet>> m_queue; //!< The bytes that the socket has not taken yet
    std::size_t m_queueSize{0};      //!< Bytes in the queue
    MessageFraming m_framing;        //!< Puts received messages together
};

} // namespace ns3

#endif /* STREAM_MESSAGE_SOCKET_H */
