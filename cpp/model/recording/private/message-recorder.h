// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_RECORDER_H
#define MESSAGE_RECORDER_H

#include "recording-file.h"

#include "ns3/channel-interface.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Records the fate of each message between applications.
 *
 * A channel is one direction of a connection, from one application to another. It gets its number
 * when its sender is known, or with its first message if its sender usually only receives.
 */
class MessageRecorder
{
  public:
    /** A direction of a connection. */
    struct Direction
    {
        std::string from; //!< Name of the sending application
        std::string to;   //!< Name of the receiving application
        std::string kind; //!< "simple", "udp", "tcp", or the name of another protocol
        bool isListed;    //!< Whether it has a number
        uint32_t number;  //!< Position among listed directions
    };

    /**
     * @param file File to write.
     */
    explicit MessageRecorder(RecordingFile& file)
        : m_file(file)
    {
        m_file.WriteText("sent_ns,received_ns,channel,bytes,outcome\n");
    }

    // Trace sources hold its address.
    MessageRecorder(const MessageRecorder&) = delete;
    MessageRecorder& operator=(const MessageRecorder&) = delete;

    /**
     * Record the messages of one end of a connection from now on.
     *
     * @param local Name of the application at this end.
     * @param remote Name of the application at the other end.
     * @param speaks Whether applications of the local type send to applications of the remote type.
     * @param interface This end.
     */
    void Watch(const std::string& local,
               const std::string& remote,
               bool speaks,
               Ptr<ChannelInterface> interface);

    /**
     * Release one end.
     *
     * @param interface This end.
     */
    void Unwatch(Ptr<ChannelInterface> interface);

    /**
     * @return whether there are new channels since the last call
     */
    bool TakeNews()
    {
        return std::exchange(m_hasNews, false);
    }

    /**
     * @return the channels, by number
     */
    std::vector<Direction> GetChannels() const;

    /** Write the messages that are still under way, and end recording. */
    void Finish();

  private:
    /** A message under way. */
    struct Pending
    {
        std::size_t direction; //!< Position of the direction
        uint64_t bytes;        //!< Size with the framing of the channel
        uint64_t transfer;     //!< Number of the transfer
    };

    /**
     * @param from Name of the sender.
     * @param to Name of the receiver.
     * @param kind Kind of the channel.
     * @param speaks Whether to list it at once.
     * @return position of a direction without a watched end, which may be new
     */
    std::size_t Obtain(const std::string& from,
                       const std::string& to,
                       const std::string& kind,
                       bool speaks);

    /**
     * @param direction A direction to list.
     * @return the number of the direction
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
     * @param message The message that is not under way any more.
     */
    void Withdraw(std::size_t direction, const ChannelMessage& message);

    /** Functions that record messages, by trace source of a channel. */
    static const std::map<std::string,
                          void (MessageRecorder::*)(ChannelInterface*, const ChannelMessage&)>
        SOURCES;

    RecordingFile& m_file;                           //!< File to write
    std::vector<Direction> m_directions;             //!< Directions in the order of discovery
    std::map<ChannelInterface*, std::size_t> m_ends; //!< Positions of directions by sender's end
    std::multimap<Time, Pending> m_pending;          //!< Messages by sending time
    uint32_t m_listed{0};                            //!< Number of directions that are listed
    bool m_hasNews{false};                           //!< Whether some directions are new
    bool m_isOver{false};                            //!< Whether recording has ended
};

} // namespace ns3

#endif /* MESSAGE_RECORDER_H */
