// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_INTERFACE_H
#define CHANNEL_INTERFACE_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/channel-message.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/opengym-containers.h"
#include "ns3/simulator.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The state of a ChannelInterface's connection.
 */
enum class ConnectionStatus : uint8_t
{
    DISCONNECTED, //!< There is no other end
    CONNECTING,   //!< The other end is known, but the connection is not complete
    CONNECTED,    //!< Messages can be exchanged
};

/**
 * @brief Write the name of a connection status.
 * @param os the stream
 * @param status the status
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, ConnectionStatus status);

/**
 * @ingroup defiance
 *
 * @brief One end of a two-way connection that carries messages between two applications.
 *
 * A message is an OpenGymDictContainer. Its size is that of its serialized form, even when it is
 * not serialized. The receiver always gets a new container, never the sender's.
 *
 * The trace sources Tx, Rx and Drop report each message at the end that sent, received or dropped
 * it. A message under way at the end of the connection is dropped at its sender.
 */
class ChannelInterface : public Object
{
  public:
    /// Called with each received message.
    using RecvCallback = Callback<void, Ptr<OpenGymDictContainer>>;

    /// Called with each transfer that arrived here, or was sent from here, and refused or lost.
    using TransferCallback = Callback<void, const ChannelMessage&>;

    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    /**
     * @brief Send a message to the other end.
     * @param data the message; the caller may change it afterwards
     * @return the size of the serialized message in bytes, or -1 if it was not accepted
     */
    virtual int Send(Ptr<OpenGymDictContainer> data) = 0;

    /**
     * @brief Send a message without content, of which only the size is used.
     *
     * Its arrival calls the other end's transfer callback; its refusal or loss calls this end's. By
     * default it is refused: NOT_SUPPORTED.
     *
     * @param number number of the transfer; larger than earlier numbers
     * @param kind kind of the message in trace sources
     * @param bytes size of the transfer
     */
    virtual void SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes)
    {
        NotifyDrop(DescribeTransfer(number, kind, bytes, 0), ChannelDropReason::NOT_SUPPORTED);
    }

    /**
     * @brief Set the callback for transfers that finish at this end.
     * @param callback called with a transfer that has arrived here (reason NONE), or that was sent
     * here and is refused or lost; null: no callback
     */
    void SetTransferCallback(TransferCallback callback)
    {
        m_transferCallback = callback;
    }

    /**
     * @brief Connect with another end of the same kind.
     *
     * An end keeps an existing connection. An end cannot be connected with itself, with an end that
     * is already connected, or with an end of another kind.
     *
     * @param other the other end
     * @return the new status of this end, DISCONNECTED if the other end has a connection
     */
    virtual ConnectionStatus Connect(Ptr<ChannelInterface> other) = 0;

    /// Disconnect both ends. They may be connected again, also with other ends.
    virtual void Disconnect() = 0;

    /**
     * @brief Get the other end of the present or future connection.
     * @return the other end, or null
     */
    virtual Ptr<ChannelInterface> GetPeer() const = 0;

    /**
     * @brief Continue on another node; the connection follows, and messages under way may be lost.
     *
     * RlApplication::MoveTo() calls this. By default nothing changes: a channel outside of the
     * simulated network has no node.
     *
     * @param node the node
     * @param address local address at the node; if it is invalid or not of this channel's IP
     * version, another address of the node is used
     */
    virtual void MoveTo(Ptr<Node> node, const Address& address = {})
    {
    }

    /**
     * @brief Add a callback for received messages.
     * @param callback called with each received message
     */
    void AddRecvCallback(RecvCallback callback)
    {
        NS_ABORT_MSG_IF(callback.IsNull(), "A receive callback must not be null");
        m_recvCallbacks.push_back(callback);
    }

    /**
     * @brief Remove a callback for received messages.
     * @param callback a callback equal to the added one
     */
    void RemoveRecvCallback(RecvCallback callback)
    {
        std::erase_if(m_recvCallbacks,
                      [&callback](const RecvCallback& known) { return known.IsEqual(callback); });
    }

    /**
     * @brief Get the connection status.
     * @return the connection status
     */
    ConnectionStatus GetConnectionStatus() const
    {
        return m_status;
    }

    /**
     * @brief Set the kind of messages that this end sends from now on.
     * @param kind for example "observation"; the trace sources report it
     */
    void SetMessageKind(const std::string& kind)
    {
        m_messageKind = kind;
    }

    /**
     * @brief Get the kind of messages that this end sends.
     * @return the kind of message
     */
    const std::string& GetMessageKind() const
    {
        return m_messageKind;
    }

  protected:
    void DoDispose() override;

    /**
     * @brief Set the connection status.
     * @param status the new status
     */
    void SetConnectionStatus(ConnectionStatus status);

    /**
     * @brief Describe a message that is about to be sent, as of now.
     * @param payloadBytes size of the serialized message
     * @param wireBytes size with the framing of this channel
     * @return the description
     */
    ChannelMessage DescribeMessage(std::size_t payloadBytes, std::size_t wireBytes) const
    {
        return {m_messageKind, payloadBytes, wireBytes, Simulator::Now(), Time{}};
    }

    /**
     * @brief Describe a transfer that is about to be sent, as of now.
     * @param number number of the transfer
     * @param kind kind of the transfer
     * @param bytes size of the transfer
     * @param headerBytes size of the framing of this channel
     * @return the description
     */
    static ChannelMessage DescribeTransfer(uint64_t number,
                                           const std::string& kind,
                                           uint64_t bytes,
                                           uint64_t headerBytes);

    /**
     * @brief Fire Tx.
     * @param message the sent message
     */
    void NotifyTx(const ChannelMessage& message)
    {
        m_txTrace(message);
    }

    /**
     * @brief Fire Rx and pass a message to the callbacks.
     * @param message the received message
     * @param data the content, which belongs to this end; null for a transfer
     */
    void Deliver(ChannelMessage message, Ptr<OpenGymDictContainer> data);

    /**
     * @brief Fire Drop, and report a failed transfer.
     * @param message the lost message
     * @param reason reason of the loss
     */
    void NotifyDrop(ChannelMessage message, ChannelDropReason reason);

  private:
    /**
     * @brief Report the outcome of a transfer.
     * @param message the transfer, with the reason of a failure
     */
    void NotifyTransfer(const ChannelMessage& message);

    std::string m_messageKind;                                 //!< Kind of messages sent here
    ConnectionStatus m_status{ConnectionStatus::DISCONNECTED}; //!< State of the connection
    std::vector<RecvCallback> m_recvCallbacks;                 //!< Receivers of messages
    TransferCallback m_transferCallback;                       //!< Receiver of finished transfers
    TracedCallback<const ChannelMessage&> m_txTrace;           //!< Sent messages
    TracedCallback<const ChannelMessage&> m_rxTrace;           //!< Received messages
    TracedCallback<const ChannelMessage&> m_dropTrace;         //!< Lost messages
};

} // namespace ns3

#endif /* CHANNEL_INTERFACE_H */
