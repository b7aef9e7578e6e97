// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_RECORDER_H
#define MESSAGE_RECORDER_H

#include "recording-file.h"

#include "ns3/channel-interface.h"
#include "ns3/socket-channel-interface.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @param interface An end of a connection.
 * @return its transport: "simple", or a protocol of sockets
 */
inline std::string
FindChannelKind(Ptr<ChannelInterface> interface)
{
    const auto socket = DynamicCast<SocketChannelInterface>(interface);
    const auto protocol = socket ? socket->GetProtocol().GetName() : "";
    return !socket                               ? "simple"
           : protocol == "ns3::TcpSocketFactory" ? "tcp"
           : protocol == "ns3::UdpSocketFactory" ? "udp"
                                                 : protocol;
}

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
               Ptr<ChannelInterface> interface)
    {
        auto* end = PeekPointer(interface);
        m_ends[end] = Obtain(local, remote, FindChannelKind(interface), speaks);
        for (const auto& [source, note] : GetNotes())
        {
            interface->TraceConnectWithoutContext(source, MakeCallback(note, this).Bind(end));
        }
    }

    /**
     * Release one end.
     *
     * @param interface This end.
     */
    void Unwatch(Ptr<ChannelInterface> interface)
    {
        auto* end = PeekPointer(interface);
        m_ends.erase(end);
        for (const auto& [source, note] : GetNotes())
        {
            interface->TraceDisconnectWithoutContext(source, MakeCallback(note, this).Bind(end));
        }
    }

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
    std::vector<Direction> GetChannels() const
    {
        std::vector<Direction> channels(m_listed);
        for (std::size_t i = 0; i < m_directions.size(); ++i)
        {
            if (m_directions[i].isListed)
            {
                channels[m_directions[i].number] = m_directions[i];
            }
        }
        return channels;
    }

    /** Write the messages that are still under way, and end recording. */
    void Finish()
    {
        for (const auto& [sent, pending] : m_pending)
        {
            m_file.WriteLine(sent.GetNanoSeconds(),
                             "",
                             m_directions[pending.direction].number,
                             pending.bytes,
                             "in flight");
        }
        m_pending.clear();
        m_isOver = true;
    }

  private:
    /// Records a message of an end.
    using Note = void (MessageRecorder::*)(ChannelInterface*, const ChannelMessage&);

    /// @return the functions that record messages, by trace source of a channel
    static std::array<std::pair<const char*, Note>, 3> GetNotes()
    {
        return {{{"Tx", &MessageRecorder::NoteTx},
                 {"Rx", &MessageRecorder::NoteRx},
                 {"Drop", &MessageRecorder::NoteDrop}}};
    }

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
                       bool speaks)
    {
        // When an application moves, its messages to itself use a new connection each time.
        const auto isTaken = [&](std::size_t index) {
            return from != to &&
                   std::any_of(m_ends.begin(), m_ends.end(), [index](const auto& end) {
                       return end.second == index;
                   });
        };
        std::size_t index = 0;
        for (; index < m_directions.size(); ++index)
        {
            const auto& known = m_directions[index];
            if (known.from == from && known.to == to && known.kind == kind && !isTaken(index))
            {
                break;
            }
        }
        if (index == m_directions.size())
        {
            m_directions.push_back({from, to, kind, false, 0});
        }
        if (speaks)
        {
            List(m_directions[index]);
        }
        return index;
    }

    /**
     * @param direction A direction to list.
     * @return the number of the direction
     */
    uint32_t List(Direction& direction)
    {
        if (!direction.isListed)
        {
            direction.isListed = true;
            direction.number = m_listed++;
            m_hasNews = true;
        }
        return direction.number;
    }

    /**
     * @param interface The sender's end.
     * @param message The sent message.
     */
    void NoteTx(ChannelInterface* interface, const ChannelMessage& message)
    {
        if (m_isOver)
        {
            return;
        }
        const auto index = m_ends.at(interface);
        List(m_directions[index]);
        m_pending.emplace(message.sent, Pending{index, message.wireBytes, message.transfer});
    }

    /**
     * @param interface The receiver's end.
     * @param message The arrived message.
     */
    void NoteRx(ChannelInterface* interface, const ChannelMessage& message)
    {
        const auto sender = m_ends.find(PeekPointer(interface->GetPeer()));
        if (sender == m_ends.end() || m_isOver)
        {
            return;
        }
        Withdraw(sender->second, message);
        m_file.WriteLine(message.sent.GetNanoSeconds(),
                         (message.sent + message.latency).GetNanoSeconds(),
                         List(m_directions[sender->second]),
                         message.wireBytes,
                         "received");
    }

    /**
     * @param interface The sender's end.
     * @param message The lost or refused message.
     */
    void NoteDrop(ChannelInterface* interface, const ChannelMessage& message)
    {
        if (message.reason == ChannelDropReason::FOREIGN || m_isOver)
        {
            return;
        }
        const auto index = m_ends.at(interface);
        Withdraw(index, message);
        m_file.WriteLine(message.sent.GetNanoSeconds(),
                         "",
                         List(m_directions[index]),
                         message.wireBytes,
                         "lost");
    }

    /**
     * @param direction Position of a direction.
     * @param message The message that is not under way any more.
     */
    void Withdraw(std::size_t direction, const ChannelMessage& message)
    {
        const auto [begin, end] = m_pending.equal_range(message.sent);
        const auto found = std::find_if(begin, end, [&](const auto& entry) {
            const auto& [sent, pending] = entry;
            return pending.direction == direction && pending.bytes == message.wireBytes &&
                   pending.transfer == message.transfer;
        });
        if (found != end)
        {
            m_pending.erase(found);
        }
    }

    RecordingFile& m_file;                           //!< File to write
    std::vector<Direction> m_directions;             //!< Directions in the order of discovery
    std::map<ChannelInterface*, std::size_t> m_ends; //!< Positions of directions by sender's end
    std::multimap<Time, Pending> m_pending;          //!< Messages by sending time
    uint32_t m_listed{0};                            //!< Number of directions that are listed
    bool m_hasNews{false};                           //!< Whether some directions are new
    bool m_isOver{false};                            //!< Whether recording has ended
};

} // namespace ns3

#endif // MESSAGE_RECORDER_H
