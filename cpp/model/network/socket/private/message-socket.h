// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_SOCKET_H
#define MESSAGE_SOCKET_H

#include "channel-message-tag.h"

#include "ns3/address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"

#include <functional>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief A socket that preserves the boundaries of messages, for one connection.
 */
class MessageSocket : public SimpleRefCount<MessageSocket>
{
  public:
    /// The owner's callbacks. None is called after Close() or Abandon().
    struct Callbacks
    {
        std::function<void()> opened; //!< The connection is complete
        std::function<void()> broken; //!< The connection failed or ended
        /// Called with each whole message. Streams do not know its description; a datagram without
        /// a description is not from the peer.
        std::function<void(const std::string&, std::optional<ChannelMessage>)> received;
        /// Called with each datagram that has a part of a transfer.
        std::function<void(const ChannelMessage&, TransferPart)> receivedPart;
    };

    /**
     * @brief Create an unbound socket.
     * @param node node of the socket
     * @param protocol the socket factory
     * @param callbacks callbacks of the owner
     * @return the socket
     */
    static Ptr<MessageSocket> Create(Ptr<Node> node, TypeId protocol, Callbacks callbacks);

    virtual ~MessageSocket();

    /**
     * @brief Bind to a local address.
     * @param address the address, with port
     */
    void Bind(const Address& address);

    /**
     * @brief Get the address that the socket is bound to.
     * @return the address, with port
     */
    Address GetBoundAddress() const;

    /**
     * @brief Wait for the connection.
     * @param peer address of the expected peer
     */
    virtual void Accept(const Address& peer) = 0;

    /**
     * @brief Begin the connection.
     * @param peer address of the accepting peer
     */
    virtual void Connect(const Address& peer) = 0;

    /**
     * @brief Send a message.
     * @param payload the serialized message
     * @param message description of the message
     * @return NONE, or the reason of a refusal
     */
    virtual ChannelDropReason Send(const std::string& payload, const ChannelMessage& message) = 0;

    /**
     * @brief Send bytes without content: a whole transfer as a stream, a part as a datagram.
     * @param bytes number of bytes
     * @param transfer description of the transfer
     * @param part the part in these bytes
     * @return NONE, or the reason of a refusal
     */
    virtual ChannelDropReason SendBytes(uint32_t bytes,
                                        const ChannelMessage& transfer,
                                        TransferPart part) = 0;

    /**
     * @brief Get the number of bytes, with framing, that wait for the socket.
     * @param more further bytes to count as sent now
     * @return the number
     */
    virtual std::size_t GetQueueSize(std::size_t more = 0) const = 0;

    /**
     * @brief Get the size of the framing header.
     * @return bytes in front of each message
     */
    virtual std::size_t GetHeaderSize() const = 0;

    /**
     * @brief Return whether messages can be sent before the connection is complete, and all arrive
     * in order.
     * @return true for a stream
     */
    virtual bool IsStream() const = 0;

    /// Close the socket in the simulated network.
    void Close();

    /// Close the socket in a separate event, unless the simulation is over.
    void CloseLater();

    /// Release the socket without any further simulated action.
    void Abandon();

  protected:
    /**
     * @brief Take ownership of an unbound socket.
     * @param socket the socket
     * @param callbacks callbacks of the owner
     */
    MessageSocket(Ptr<Socket> socket, Callbacks callbacks);

    /**
     * @brief Remove all callbacks from a socket.
     * @param socket the socket
     */
    static void ClearCallbacks(Ptr<Socket> socket);

    /// Drop the state of this connection.
    virtual void DoAbandon()
    {
    }

    Ptr<Socket> m_socket;  //!< Socket of the messages, or null when used up
    Callbacks m_callbacks; //!< The owner's callbacks

  private:
    /**
     * @param socket A socket for streams.
     * @param callbacks Callbacks of the owner.
     * @return a message socket that precedes each message by its length
     */
    static Ptr<MessageSocket> MakeStream(Ptr<Socket> socket, Callbacks callbacks);

    /**
     * @param socket A socket for datagrams.
     * @param callbacks Callbacks of the owner.
     * @return a message socket that sends each message as a datagram
     */
    static Ptr<MessageSocket> MakeDatagram(Ptr<Socket> socket, Callbacks callbacks);
};

} // namespace ns3

#endif /* MESSAGE_SOCKET_H */
