// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_MESSAGE_H
#define CHANNEL_MESSAGE_H

#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The reason why a channel dropped a message.
 */
enum class ChannelDropReason : uint8_t
{
    NONE,              //!< The message was not dropped
    NOT_CONNECTED,     //!< There was no connection
    TOO_LARGE,         //!< Too large for a datagram, or its length for the framing header
    QUEUE_FULL,        //!< The message would have to wait in a full queue
    SEND_FAILED,       //!< The socket refused the message, for example without a route
    LOSS,              //!< The channel's loss model lost the message
    CONNECTION_CLOSED, //!< An end disconnected or died before the arrival
    CONNECTION_FAILED, //!< The connection could not be established, or broke
    FOREIGN,           //!< The message was not sent by the other end
    NOT_SUPPORTED,     //!< This kind of channel does not support transfers
};

/**
 * @brief Return whether a drop reason means that the message was never sent.
 * @param reason the reason
 * @return true if the sender's end refused it
 */
bool IsRefusal(ChannelDropReason reason);

/**
 * @brief Write the name of a drop reason.
 * @param os the stream
 * @param reason the reason
 * @return the stream
 */
std::ostream& operator<<(std::ostream& os, ChannelDropReason reason);

/**
 * @ingroup defiance
 *
 * @brief The trace sources' report of one message.
 */
struct ChannelMessage
{
    std::string kind;      //!< Kind of message, from the sender: "observation", "reward", ...
    uint64_t payloadBytes; //!< Size of the serialized message
    uint64_t wireBytes;    //!< Size handed to the socket, with framing; TCP, UDP and IP add theirs
    Time sent;             //!< Time of Send()
    Time latency;          //!< Time from Send() to receive callbacks; 0 in Tx and Drop
    ChannelDropReason reason{ChannelDropReason::NONE}; //!< Reason of the drop; only in Drop
    uint64_t transfer{0}; //!< Number of the transfer; 0: a message with content

    /**
     * TracedCallback signature of Tx, Rx and Drop.
     * @param [in] message the message
     */
    typedef void (*TracedCallback)(const ChannelMessage& message);
};

} // namespace ns3

#endif /* CHANNEL_MESSAGE_H */
