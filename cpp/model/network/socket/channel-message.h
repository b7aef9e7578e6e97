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
 * @brief Why a channel dropped a message.
 */
enum class ChannelDropReason : uint8_t
{
    NONE,              //!< It was not dropped
    NOT_CONNECTED,     //!< It was sent while there was no connection
    TOO_LARGE,         //!< It does not fit into a datagram, or its length into the framing header
    QUEUE_FULL,        //!< It would wait in a queue that has no room for it
    SEND_FAILED,       //!< The socket refused it, for example because there is no route
    LOSS,              //!< The loss model of the channel took it
    CONNECTION_CLOSED, //!< It was on its way when an end disconnected or died
    CONNECTION_FAILED, //!< The connection could not be established, or broke
    FOREIGN,           //!< The message was not sent by the other end
    NOT_SUPPORTED,     //!< This kind of channel carries no transfers
};

/**
 * @brief Return whether a message that was dropped for a reason was never sent.
 * @param reason the reason
 * @return true if the sender's end has refused it
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
    std::string kind;      //!< The sender's name for it: "observation", "reward", ...
    uint64_t payloadBytes; //!< Size of the serialized message
    uint64_t wireBytes;    //!< Size handed to the socket, with framing; TCP, UDP and IP add theirs
    Time sent;             //!< When Send() was called
    Time latency;          //!< From Send() to the receive callbacks; zero in Tx and Drop
    ChannelDropReason reason{ChannelDropReason::NONE}; //!< Why it was dropped; only in Drop
    uint64_t transfer{0}; //!< Number of the transfer that it is; 0: it has a content

    /**
     * TracedCallback signature of Tx, Rx and Drop.
     * @param [in] message the message
     */
    typedef void (*TracedCallback)(const ChannelMessage& message);
};

} // namespace ns3

#endif /* CHANNEL_MESSAGE_H */
