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
 * ns-3's TCP begins to send 1 ns after it was given data; a segment carries at most 536 bytes of
 * the stream (attribute ns3::TcpSocket::SegmentSize).
 *
 * Time stamps and message kinds for the trace sources travel outside of the simulated bytes.
 *
 * **UDP.** Datagrams leave once the simulation runs and the connect time has come; before, Send()
 * refuses them. A message has at most 65507 bytes; Send() refuses a larger one. A message that is
 * lost in the network, or on its way when an end disconnects, is not reported: it shows as a Tx
 * without Rx.
 *
 * **TCP.** Messages of any size arrive whole and in order. Messages wait in a queue before the
 * connection is complete, and while the send buffer of the socket is full. Attribute MaxQueueSize
 * limits it: Send() refuses a message that would wait beyond it. When the connection ends or
 * breaks, each message that has not arrived is dropped at its sender. A broken connection is opened
 * anew if attribute ReconnectDelay says so.
 *
 * **Transfers** (SendTransfer()) are so many bytes without content. Over TCP each is one message.
 * Over UDP it is cut into datagrams of at most TransferDatagramSize bytes, which leave all at once
 * or at TransferRate, and has arrived when all of them have; when a datagram of a later transfer
 * arrives first, it is lost. It is dropped at its sender then, and when the connection ends.
 *
 * The end whose Connect() is called opens the connection, the other one accepts it; then both are
 * equal. Sockets exist from Connect() to Disconnect(), each connection gets new ones.
 *
 * When an end moves to another node, its connection ends and the same two ends open a new one, with
 * a new handshake over TCP. Messages that have not arrived by then are lost.
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
    Ptr<ChannelInterface> GetPeer() const override;
    void MoveTo(Ptr<Node> node, const Address& address = {}) override;

    /**
     * @brief Get the number of bytes, with framing, that wait until the socket takes them.
     * @return the number, always 0 over UDP
     */
    std::size_t GetQueueSize() const;

    /**
     * @brief Get where this end is.
     * @return its node
     */
    Ptr<Node> GetNode() const;

    /**
     * @brief Get the address that packets of this end come from.
     * @return the address with port, an invalid one while there is no connection
     */
    Address GetSocketAddress() const;

    /**
     * @brief Get the socket factory that this channel takes its sockets from.
     * @return for example TcpSocketFactory
     */
    TypeId GetProtocol() const;

    /**
     * @brief Tell whether messages travel in a stream.
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

    /// Bind the sockets of both ends and let the connection begin.
    void Open();

    /**
     * @brief Let go of the socket, as an end dies.
     * @param isOver whether the simulation is over
     */
    void Release(bool isOver);

    /**
     * @brief Forget the other end, close the socket and drop what has not arrived.
     * @param reason why the connection ends
     */
    void Detach(ChannelDropReason reason);

    /// End a broken connection, and have a new one opened if that is wanted.
    void GiveUp();

    /**
     * @brief End the connection at both ends.
     * @param reason why the connection ends
     */
    void EndConnection(ChannelDropReason reason);

    /**
     * @brief Tell whether a message can be sent now.
     * @param message its description
     * @return NONE, or why not
     */
    ChannelDropReason FindObstacle(const ChannelMessage& message) const;

    /// Send datagrams of the transfers that wait, as TransferRate allows.
    void SendParts();

    /**
     * @brief Drop the transfer of which datagrams are being sent.
     * @param reason why
     */
    void AbandonTransfer(ChannelDropReason reason);

    /**
     * @brief Take a datagram of a transfer, and deliver the transfer if it is complete.
     * @param message what the datagram says of the transfer
     * @param part which one it is
     */
    void ReceivePart(const ChannelMessage& message, TransferPart part);

    /**
     * @brief Drop transfers that were sent before another one and have not arrived.
     * @param number the other one
     */
    void LoseTransfersBefore(uint64_t number);

    /**
     * @brief Turn received bytes into a message and deliver it.
     * @param payload the serialized message
     * @param message what is known about it; a stream does not carry this, it keeps the order
     */
    void Receive(const std::string& payload, std::optional<ChannelMessage> message);

    Ptr<Node> m_node;                        //!< Where this end is
    Address m_localAddress;                  //!< With port; port 0 lets the stack choose
    TypeId m_protocol;                       //!< Socket factory
    Time m_connectTime;                      //!< No connection before this
    Time m_reconnectDelay;                   //!< From a broken connection to a new one; zero: none
    uint64_t m_maxQueueSize;                 //!< Bytes that may wait for the socket
    uint32_t m_transferDatagramSize;         //!< Largest payload of a datagram of a transfer
    DataRate m_transferRate;                 //!< Of the payload of such datagrams; 0: no limit
    bool m_isOpener{false};                  //!< This end opens the connection, or did
    SocketChannelInterface* m_peer{nullptr}; //!< Other end; it clears this before it dies
    Ptr<MessageSocket> m_socket;             //!< While there is a peer
    EventId m_connectEvent;                  //!< Begin of the connection
    EventId m_brokenEvent;                   //!< Reaction to a broken connection
    EventId m_reconnectEvent;                //!< Begin of a connection in place of a broken one
    /// Messages sent as a stream, and transfers, that have not arrived.
    std::deque<ChannelMessage> m_undelivered;
    std::deque<ChannelMessage> m_unsent; //!< Transfers of which datagrams wait
    uint32_t m_nextPart{0};              //!< Of the first of them
    EventId m_partEvent;                 //!< The next datagram
    uint64_t m_incoming{0};              //!< Number of the transfer that is being received
    std::vector<bool> m_receivedParts;   //!< Which of its datagrams have arrived
    uint32_t m_receivedCount{0};         //!< How many of them
};

} // namespace ns3

#endif /* SOCKET_CHANNEL_INTERFACE_H */
