// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_INTERFACE_H
#define CHANNEL_INTERFACE_H

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/channel-message.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/opengym-dict-container.h"
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
 * @brief How far a ChannelInterface is with its connection.
 */
enum class ConnectionStatus : uint8_t
{
    DISCONNECTED, //!< There is no other end
    CONNECTING,   //!< The other end is known, but the connection does not stand yet
    CONNECTED,    //!< Messages get through
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
 * A message is an OpenGymDictContainer. Its size is that of its serialized form, also where nothing
 * is serialized on the way. The receiver always gets a new container, never the sender's.
 *
 * The trace sources Tx, Rx and Drop report each message at the end that sent, received or dropped
 * it. A message that is still on its way when the connection ends is dropped at its sender.
 */
class ChannelInterface : public Object
{
  public:
    /// Called with each message that arrives.
    using RecvCallback = Callback<void, Ptr<OpenGymDictContainer>>;

    /// Called with each transfer that has finished at this end.
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
     * @brief Send a message without content, of which only the size matters.
     *
     * The transfer callback of the other end is called when it has arrived, that of this end when
     * it is refused or lost. By default it is refused: NOT_SUPPORTED.
     *
     * @param number names it; larger than those of earlier transfers
     * @param kind what the trace sources call it
     * @param bytes its size
     */
    virtual void SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes);

    /**
     * @brief Set who is informed how transfers finish at this end.
     * @param callback is called with a transfer that has arrived here (reason NONE), or that was
     *        sent here and is refused or lost; null: nobody
     */
    void SetTransferCallback(TransferCallback callback);

    /**
     * @brief Connect with another end of the same kind.
     *
     * An end that has a connection keeps it. An end cannot be connected with itself, with one that
     * is already connected, or with one of another kind.
     *
     * @param other the other end
     * @return the status of this end afterwards, DISCONNECTED if the other one has a connection
     */
    virtual ConnectionStatus Connect(Ptr<ChannelInterface> other) = 0;

    /// Disconnect both ends. They may be connected again, also with other ends.
    virtual void Disconnect() = 0;

    /**
     * @brief Get the end that this one is connected with, or is going to be.
     * @return the other end, or null
     */
    virtual Ptr<ChannelInterface> GetPeer() const = 0;

    /**
     * @brief Continue on another node; the connection follows, and what is on its way may be lost.
     *
     * RlApplication::MoveTo() calls this. By default nothing changes: a channel outside of the
     * simulated network has no node.
     *
     * @param node the node
     * @param address local address there; one of the node's takes its place if it is invalid, or of
     *        another IP version than this channel
     */
    virtual void MoveTo(Ptr<Node> node, const Address& address = {});

    /**
     * @brief Add a callback for received messages.
     * @param callback is called with each message that arrives
     */
    void AddRecvCallback(RecvCallback callback);

    /**
     * @brief Remove a callback for received messages.
     * @param callback equals the one that was added
     */
    void RemoveRecvCallback(RecvCallback callback);

    /**
     * @brief Get the connection status.
     * @return the connection status
     */
    ConnectionStatus GetConnectionStatus() const;

    /**
     * @brief Say what kind of message this end sends from now on.
     * @param kind for example "observation"; the trace sources report it
     */
    void SetMessageKind(const std::string& kind);

    /**
     * @brief Get the kind of message that this end sends.
     * @return the kind of message
     */
    const std::string& GetMessageKind() const;

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
    ChannelMessage DescribeMessage(std::size_t payloadBytes, std::size_t wireBytes) const;

    /**
     * @brief Describe a transfer that is about to be sent, as of now.
     * @param number names it
     * @param kind what it is
     * @param bytes its size
     * @param headerBytes size of the framing of this channel
     * @return the description
     */
    static ChannelMessage DescribeTransfer(uint64_t number,
                                           const std::string& kind,
                                           uint64_t bytes,
                                           uint64_t headerBytes);

    /**
     * @brief Fire Tx.
     * @param message what was sent
     */
    void NotifyTx(const ChannelMessage& message);

    /**
     * @brief Fire Rx and hand a message to the callbacks.
     * @param message what has arrived
     * @param data the content, which belongs to this end; null for a transfer
     */
    void Deliver(ChannelMessage message, Ptr<OpenGymDictContainer> data);

    /**
     * @brief Fire Drop, and say that a transfer has failed.
     * @param message what is lost
     * @param reason why
     */
    void NotifyDrop(ChannelMessage message, ChannelDropReason reason);

  private:
    /**
     * @brief Say how a transfer has finished.
     * @param message what it was, and why it failed if so
     */
    void NotifyTransfer(const ChannelMessage& message);

    std::string m_messageKind;                                 //!< The messages of this end
    ConnectionStatus m_status{ConnectionStatus::DISCONNECTED}; //!< State of the connection
    std::vector<RecvCallback> m_recvCallbacks;                 //!< Called with each message
    TransferCallback m_transferCallback;                       //!< Called with finished transfers
    TracedCallback<const ChannelMessage&> m_txTrace;           //!< Sent messages
    TracedCallback<const ChannelMessage&> m_rxTrace;           //!< Received messages
    TracedCallback<const ChannelMessage&> m_dropTrace;         //!< Lost messages
};

} // namespace ns3

#endif /* CHANNEL_INTERFACE_H */
