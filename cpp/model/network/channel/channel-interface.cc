// SPDX-License-Identifier: GPL-2.0-only

#include "channel-interface.h"

#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ChannelInterface");
NS_OBJECT_ENSURE_REGISTERED(ChannelInterface);

std::ostream&
operator<<(std::ostream& os, ConnectionStatus status)
{
    static constexpr std::array names{"DISCONNECTED", "CONNECTING", "CONNECTED"};
    return os << names.at(static_cast<std::size_t>(status));
}

TypeId
ChannelInterface::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ChannelInterface, Object>("ns3::ChannelInterface")
            .AddAttribute("MessageKind",
                          "Kind of the messages that this end sends; the trace sources report it.",
                          StringValue("message"),
                          MakeStringAccessor(&ChannelInterface::SetMessageKind,
                                             &ChannelInterface::GetMessageKind),
                          MakeStringChecker())
            .AddTraceSource("Tx",
                            "This end has accepted a message to send.",
                            MakeTraceSourceAccessor(&ChannelInterface::m_txTrace),
                            "ns3::ChannelMessage::TracedCallback")
            .AddTraceSource("Rx",
                            "A message has arrived at this end.",
                            MakeTraceSourceAccessor(&ChannelInterface::m_rxTrace),
                            "ns3::ChannelMessage::TracedCallback")
            .AddTraceSource("Drop",
                            "A message of this end is lost or refused, or a message that the other "
                            "end did not send has arrived.",
                            MakeTraceSourceAccessor(&ChannelInterface::m_dropTrace),
                            "ns3::ChannelMessage::TracedCallback");
    return tid;
}

void
ChannelInterface::SetConnectionStatus(ConnectionStatus status)
{
    NS_LOG_FUNCTION(this << status);
    m_status = status;
}

void
ChannelInterface::DoDispose()
{
    m_recvCallbacks.clear();
    m_transferCallback = {};
    Object::DoDispose();
}

ChannelMessage
ChannelInterface::DescribeTransfer(uint64_t number,
                                   const std::string& kind,
                                   uint64_t bytes,
                                   uint64_t headerBytes)
{
    return {kind,
            bytes,
            bytes + headerBytes,
            Simulator::Now(),
            Time{},
            ChannelDropReason::NONE,
            number};
}

void
ChannelInterface::Deliver(ChannelMessage message, Ptr<OpenGymDictContainer> data)
{
    message.latency = Simulator::Now() - message.sent;
    NS_LOG_LOGIC(this << " received " << message.kind << " of " << message.payloadBytes
                      << " bytes after " << message.latency.As(Time::S));
    m_rxTrace(message);
    if (message.transfer > 0)
    {
        NotifyTransfer(message);
        return;
    }
    // A callback may add and remove callbacks.
    const auto callbacks = m_recvCallbacks;
    for (const auto& callback : callbacks)
    {
        callback(data);
    }
}

void
ChannelInterface::NotifyDrop(ChannelMessage message, ChannelDropReason reason)
{
    NS_LOG_LOGIC(this << " dropped " << message.kind << ": " << reason);
    message.reason = reason;
    m_dropTrace(message);
    if (message.transfer > 0)
    {
        NotifyTransfer(message);
    }
}

void
ChannelInterface::NotifyTransfer(const ChannelMessage& message)
{
    // A callback may end the connection, and so this end.
    const auto callback = m_transferCallback;
    if (!callback.IsNull())
    {
        callback(message);
    }
}

} // namespace ns3
