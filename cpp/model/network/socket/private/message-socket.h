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
 * @brief A socket that keeps the boundaries of messages; one connection, then it is used up.
 */
class MessageSocket : public SimpleRefCount<MessageSocket>
{
  public:
    /// The owner's callbacks. None is called after Close() or Abandon().
    struct Callbacks
    {
        std::function<void()> opened; //!< The connection stands
        std::function<void()> broken; //!< The connection failed or ended
        /// A whole message has arrived. Streams do not know its description; a datagram without
        /// one is not from the peer.
        std::function<void(const std::string&, std::optional<ChannelMessage>)> received;
        /// Part of a transfer has arrived in a datagram.
        std::function<void(const ChannelMessage&, TransferPart)> receivedPart;
    };

    /**
     * @brief Create an unbound socket.
     * @param node where
     * @param protocol the socket factory
     * @param callbacks what the owner wants to know
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
     * @param peer who may connect
     */
    virtual void Accept(const Address& peer) = 0;

    /**
     * @brief Begin the connection.
     * @param peer who accepts it
     */
    virtual void Connect(const Address& peer) = 0;

    /**
     * @brief Send a message.
     * @param payload the serialized message
     * @param message its description
     * @return NONE, or why the message is not accepted
     */
    virtual ChannelDropReason Send(const std::string& payload, const ChannelMessage& message) = 0;

    /**
     * @brief Send so many bytes without content: a whole transfer as a stream, a part as a
     * datagram.
     * @param bytes how many
     * @param transfer its description
     * @param part which part of it they are
     * @return NONE, or why they are not accepted
     */
    virtual ChannelDropReason SendBytes(uint32_t bytes,
                                        const ChannelMessage& transfer,
                                        TransferPart part) = 0;

    /**
     * @brief Get the number of bytes, with framing, that wait until the socket takes them.
     * @param more as if so many were sent now
     * @return the number
     */
    virtual std::size_t GetQueueSize(std::size_t more = 0) const = 0;

    /**
     * @brief Get the size of the framing header.
     * @return bytes in front of each message
     */
    virtual std::size_t GetHeaderSize() const = 0;

    /**
     * @brief Tell whether messages can be sent before the connection stands, and all arrive in
     * order.
     * @return true for a stream
     */
    virtual bool IsStream() const = 0;

    /// Close the socket in the simulated network.
    void Close();

    /// Close the socket in a separate event, which does not happen if the simulation is over.
    void CloseLater();

    /// Let go of the socket without any further simulated action.
    void Abandon();

  protected:
    /**
     * @brief Take over an unbound socket.
     * @param socket the socket
     * @param callbacks what the owner wants to know
     */
    MessageSocket(Ptr<Socket> socket, Callbacks callbacks);

    /**
     * @brief Stop being called by a socket.
     * @param socket the socket
     */
    static void ClearCallbacks(Ptr<Socket> socket);

    /// Drop what belongs to this connection only.
    virtual void DoAbandon();

    Ptr<Socket> m_socket;  //!< The socket that messages go through, null when used up
    Callbacks m_callbacks; //!< The owner's callbacks
};

} // namespace ns3

#endif /* MESSAGE_SOCKET_H */
