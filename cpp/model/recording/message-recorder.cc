// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-recorder.h"

#include "ns3/socket-channel-interface.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @param interface An end of a connection.
 * @return its transport: "simple", or a protocol of sockets
 */
std::string
FindChannelKind(Ptr<ChannelInterface> interface)
{
    const auto socket = DynamicCast<SocketChannelInterface>(interface);
    const auto protocol = socket ? socket->GetProtocol().GetName() : "";
    return !socket                               ? "simple"
           : protocol == "ns3::TcpSocketFactory" ? "tcp"
           : protocol == "ns3::UdpSocketFactory" ? "udp"
                                                 : protocol;
}

} // namespace

const std::map<std::string, void (MessageRecorder::*)(ChannelInterface*, const ChannelMessage&)>
    MessageRecorder::SOURCES{{"Tx", &MessageRecorder::NoteTx},
                             {"Rx", &MessageRecorder::NoteRx},
                             {"Drop", &MessageRecorder::NoteDrop}};

void
MessageRecorder::Watch(const std::string& local,
                       const std::string& remote,
                       bool speaks,
                       Ptr<ChannelInterface> interface)
{
    auto* end = PeekPointer(interface);
    m_ends[end] = Obtain(local, remote, FindChannelKind(interface), speaks);
    for (const auto& [source, note] : SOURCES)
    {
        interface->TraceConnectWithoutContext(source, MakeCallback(note, this).Bind(end));
    }
}

void
MessageRecorder::Unwatch(Ptr<ChannelInterface> interface)
{
    auto* end = PeekPointer(interface);
    m_ends.erase(end);
    for (const auto& [source, note] : SOURCES)
    {
        interface->TraceDisconnectWithoutContext(source, MakeCallback(note, this).Bind(end));
    }
}

std::size_t
MessageRecorder::Obtain(const std::string& from,
                        const std::string& to,
                        const std::string& kind,
                        bool speaks)
{
    // When an application moves, its messages to itself use a new connection each time.
    const auto isTaken = [&](std::size_t index) {
        return from != to && std::any_of(m_ends.begin(), m_ends.end(), [index](const auto& end) {
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

uint32_t
MessageRecorder::List(Direction& direction)
{
    if (!direction.isListed)
    {
        direction.isListed = true;
        direction.number = m_listed++;
        m_hasNews = true;
    }
    return direction.number;
}

void
MessageRecorder::NoteTx(ChannelInterface* interface, const ChannelMessage& message)
{
    if (m_isOver)
    {
        return;
    }
    const auto index = m_ends.at(interface);
    List(m_directions[index]);
    m_pending.emplace(message.sent, Pending{index, message.wireBytes, message.transfer});
}

void
MessageRecorder::NoteRx(ChannelInterface* interface, const ChannelMessage& message)
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

void
MessageRecorder::NoteDrop(ChannelInterface* interface, const ChannelMessage& message)
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

void
MessageRecorder::Withdraw(std::size_t direction, const ChannelMessage& message)
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

void
MessageRecorder::Finish()
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

std::vector<MessageRecorder::Direction>
MessageRecorder::GetChannels() const
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

} // namespace ns3
