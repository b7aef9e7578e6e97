// SPDX-License-Identifier: GPL-2.0-only

#ifndef SOCKET_CHANNEL_INTERFACE_H
#define SOCKET_CHANNEL_INTERFACE_H

#include "channel-interface.h"

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/type-id.h"

#include <deque>
#include <optional>
#include <vector>

namespace ns3
{

class MessageSocket;
struct TransferPart;

/**
 * @ingroup defiance
 *
 * @brief A channel through the simulated network: UDP or TCP over IPv4 or IPv6.
 *
 * The network carries the serialized message (SerializeContainer()) and a framing header:
 *
 * | Protocol | Framing header             | Other headers, with ns-3's defaults       |
 * | -------- | -------------------------- | ----------------------------------------- |
 * | UDP      | 0 bytes, a datagram each   | UDP 8, IPv4 20 or IPv6 40                 |
 * | TCP      | 4 bytes, big-endian length | TCP 20 + 12 (timestamps), IPv4 20, IPv6 40 |
 *
 * ns-3's TCP begins to send 1 ns after it gets data; a segment carries at most 536 bytes of the
 * stream (attribute ns3::TcpSocket::SegmentSize).
 *
 * Time stamps and message kinds for the trace sources are sent outside of the simulated bytes.
 *
 * **UDP.** Datagrams are sent while the simulation runs, from the connect time on; Send() refuses
 * earlier ones. A message has at most 65507 bytes; Send() refuses a larger one. A message that the
 * network loses, or that is under way when an end disconnects, is not reported: it appears as a Tx
 * without Rx.
 *
 * **TCP.** Messages of any size arrive whole and in order. Messages wait in a queue before the
 * connection is complete, and while the send buffer of the socket is full. Attribute MaxQueueSize
 * limits it: Send() refuses a message beyond the limit. When the connection ends or breaks, each
 * message that has not arrived is dropped at its sender. With attribute ReconnectDelay, a broken
 * connection is opened again.
 *
 * **Transfers** (SendTransfer()) are bytes without content. Over TCP each is one message. Over UDP
 * a transfer is cut into datagrams of at most TransferDatagramSize bytes, which are sent all at
 * once or at TransferRate. It has arrived when all datagrams have; it is lost, and dropped at its
 * sender, when a datagram of a later transfer arrives first, and when the connection ends.
 *
 * The end whose Connect() is called opens the connection, and the other end accepts it; then both
 * are equal. Sockets exist from Connect() to Disconnect(); each connection has new sockets.
 *
 * When an end moves to another node, its connection ends and the same two ends open a new one, with
 * a new handshake over TCP. Messages under way are lost.
 */
class SocketChannelInterface : public ChannelInterface
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Create an end on a node.
     * @param node the node, with an Internet stack
     * @param localAddress an address of the node: Ipv4Address, Ipv6Address, or with a port
     *        InetSocketAddress or Inet6SocketAddress
     * @param protocol UdpSocketFactory::GetTypeId(), TcpSocketFactory::GetTypeId(), or another
     *        socket factory for datagrams or streams that the node has
     */
    SocketChannelInterface(Ptr<Node> node, const Address& localAddress, TypeId protocol);
    ~SocketChannelInterface() override;

    int Send(Ptr<OpenGymDictContainer> data) override;
    void SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes) override;
    ConnectionStatus Connect(Ptr<ChannelInterface> other) override;
    void Disconnect() override;

    Ptr<ChannelInterface> GetPeer() const override
    {
        return m_peer;
    }

    void MoveTo(Ptr<Node> node, const Address& address = {}) override;

    /**
     * @brief Get the number of bytes, with framing, that wait for the socket.
     * @return the number, always 0 over UDP
     */
    std::size_t GetQueueSize() const;

    /**
     * @brief Get the node of this end.
     * @return the node
     */
    Ptr<Node> GetNode() const
    {
        return m_node;
    }

    /**
     * @brief Get the source address of this end's packets.
     * @return the address with port, an invalid one without a connection
     */
    Address GetSocketAddress() const;

    /**
     * @brief Get the factory of this channel's sockets.
     * @return for example TcpSocketFactory
     */
    TypeId GetProtocol() const
    {
        return m_protocol;
    }

    /**
     * @brief Return whether messages are sent in a stream.
     * @return true for TCP, false for UDP
     */
    bool IsStream() const;

  protected:
    void DoDispose() override;

  private:
    /**
     * @brief Prepare an end for a connection.
     * @param peer the other end
     */
    void Attach(SocketChannelInterface* peer);

    /// Bind the sockets of both ends and begin the connection.
    void Open();

    /**
     * @brief Release the socket when an end dies.
     * @param isOver whether the simulation is over
     */
    void Release(bool isOver);

    /**
     * @brief Forget the other end, close the socket and drop messages that have not arrived.
     * @param reason why the connection ends
     */
    void Detach(ChannelDropReason reason);

    /// End a broken connection, and open a new one if configured.
    void GiveUp();

    /**
     * @brief End the connection at both ends.
     * @param reason why the connection ends
     */
    void EndConnection(ChannelDropReason reason);

    /**
     * @brief Return whether a message can be sent now.
     * @param message description of the message
     * @return NONE, or the obstacle
     */
    ChannelDropReason FindObstacle(const ChannelMessage& message) const;

    /// Send datagrams of waiting transfers, as TransferRate allows.
    void SendParts();

    /**
     * @brief Drop the transfer whose datagrams are being sent.
     * @param reason reason of the drop
     */
    void AbandonTransfer(ChannelDropReason reason);

    /**
     * @brief Receive a datagram of a transfer, and deliver the transfer if it is complete.
     * @param message description of the transfer in the datagram
     * @param part part of the transfer
     */
    void ReceivePart(const ChannelMessage& message, TransferPart part);

    /**
     * @brief Drop transfers before a given one that have not arrived.
     * @param number number of the given transfer
     */
    void LoseTransfersBefore(uint64_t number);

    /**
     * @brief Convert received bytes to a message and deliver it.
     * @param payload the serialized message
     * @param message description of the message; a stream does not carry it, but keeps the order
     */
    void Receive(const std::string& payload, std::optional<ChannelMessage> message);

    Ptr<Node> m_node;                        //!< Node of this end
    Address m_localAddress;                  //!< Address with port; port 0 lets the stack choose
    TypeId m_protocol;                       //!< Socket factory
    Time m_connectTime;                      //!< Time of the first connection
    Time m_reconnectDelay;                   //!< Delay before a new connection; zero: none
    uint64_t m_maxQueueSize;                 //!< Bytes that may wait for the socket
    uint32_t m_transferDatagramSize;         //!< Largest payload of a datagram of a transfer
    DataRate m_transferRate;                 //!< Rate of transfers' datagrams; 0: no limit
    bool m_isOpener{false};                  //!< Whether this end opens the connection, or did
    SocketChannelInterface* m_peer{nullptr}; //!< Other end; reset before it dies
    Ptr<MessageSocket> m_socket;             //!< Socket, while there is a peer
    EventId m_connectEvent;                  //!< Begin of the connection
    EventId m_brokenEvent;                   //!< Reaction to a broken connection
    EventId m_reconnectEvent;                //!< Begin of a connection that replaces a broken one
    /// Messages of a stream, and transfers, that have not arrived.
    std::deque<ChannelMessage> m_undelivered;
    std::deque<ChannelMessage> m_unsent; //!< Transfers with datagrams that wait
    uint32_t m_nextPart{0};              //!< Next datagram of the first transfer
    EventId m_partEvent;                 //!< The next datagram
    uint64_t m_incoming{0};              //!< Number of the incoming transfer
    std::vector<bool> m_receivedParts;   //!< Received datagrams of the incoming transfer
    uint32_t m_receivedCount{0};         //!< Number of these datagrams
};

} // namespace ns3

#endif /* SOCKET_CHANNEL_INTERFACE_H */
