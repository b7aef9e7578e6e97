// SPDX-License-Identifier: GPL-2.0-only

#ifndef DATAGRAM_MESSAGE_SOCKET_H
#define DATAGRAM_MESSAGE_SOCKET_H

#include "message-socket.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A message socket with one datagram for each message.
 */
class DatagramMessageSocket : public MessageSocket
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
    /**
     * @brief Send a datagram.
     * @param packet payload of the datagram
     * @param tag description of the datagram
     * @return NONE, or the reason of a refusal
     */
    ChannelDropReason SendPacket(Ptr<Packet> packet, const ChannelMessageTag& tag);

    /**
     * @brief Read all datagrams.
     * @param socket the socket
     */
    void Read(Ptr<Socket> socket);

    Address m_peer; //!< Remote address of datagrams
};

} // namespace ns3

#endif /* DATAGRAM_MESSAGE_SOCKET_H */
