// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_RECORDER_H
#define MESSAGE_RECORDER_H

#include "recording-file.h"

#include "ns3/channel-interface.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Writes the fate of each message between applications.
 *
 * A channel is one direction of a connection: what goes from one application to another. It gets
 * its number when its sender is known, or when the first message goes through it if its sender is
 * one that usually only listens.
 */
class MessageRecorder
{
  public:
    /** A direction of a connection. */
    struct Direction
    {
        std::string from; //!< Name of the application that sends
        std::string to;   //!< Name of the one that receives
        std::string kind; //!< "simple", "udp", "tcp", or the name of another protocol
        bool isListed;    //!< Whether it has a number: its place among those listed
        uint32_t number;  //!< Its number
    };

    /**
     * @param file Where to write.
     */
    explicit MessageRecorder(RecordingFile& file);

    // Trace sources know it by its address.
    MessageRecorder(const MessageRecorder&) = delete;
    MessageRecorder& operator=(const MessageRecorder&) = delete;

    /**
     * Note the messages of one end of a connection from now on.
     *
     * @param local Name of the application at this end.
     * @param remote Name of the one at the other end.
     * @param speaks Whether applications like the local one send to those like the remote one.
     * @param interface This end.
     */
    void Watch(const std::string& local,
               const std::string& remote,
               bool speaks,
               Ptr<ChannelInterface> interface);

    /**
     * Let go of one end.
     *
     * @param interface This end.
     */
    void Unwatch(Ptr<ChannelInterface> interface);

    /**
     * @return whether channels are new since the last call
     */
    bool TakeNews();

    /**
     * @return the channels, by number
     */
    std::vector<Direction> GetChannels() const;

    /** Write the messages that are still on their way, and nothing else from then on. */
    void Finish();

  private:
    /** A message that is on its way. */
    struct Pending
    {
        std::size_t direction; //!< Where it is
        uint64_t bytes;        //!< Its size with the framing of the channel
        uint64_t transfer;     //!< Number of the transfer that it is
    };

    /**
     * @param from Name of the sender.
     * @param to Name of the receiver.
     * @param kind The channel of messages.
     * @param speaks Whether it is listed at once.
     * @return position of a direction that no end is watched of, which may be new
     */
    std::size_t Obtain(const std::string& from,
                       const std::string& to,
                       const std::string& kind,
                       bool speaks);

    /**
     * @param direction A direction, which is listed afterwards.
     * @return its number
     */
    uint32_t List(Direction& direction);

    /**
     * @param interface The sender's end.
     * @param message The sent message.
     */
    void NoteTx(ChannelInterface* interface, const ChannelMessage& message);

    /**
     * @param interface The receiver's end.
     * @param message The arrived message.
     */
    void NoteRx(ChannelInterface* interface, const ChannelMessage& message);

    /**
     * @param interface The sender's end.
     * @param message The lost or refused message.
     */
    void NoteDrop(ChannelInterface* interface, const ChannelMessage& message);

    /**
     * @param direction Position of a direction.
     * @param message The message that is not on its way any more.
     */
    void Withdraw(std::size_t direction, const ChannelMessage& message);

    RecordingFile& m_file;                           //!< Where to write
    std::vector<Direction> m_directions;             //!< In the order in which they were found
    std::map<ChannelInterface*, std::size_t> m_ends; //!< Positions of directions by sender's end
    std::multimap<Time, Pending> m_pending;          //!< By the time of sending
    uint32_t m_listed{0};                            //!< Number of directions that are listed
    bool m_hasNews{false};                           //!< Some are new
    bool m_isOver{false};                            //!< Nothing is written any more
};

} // namespace ns3

#endif /* MESSAGE_RECORDER_H */
