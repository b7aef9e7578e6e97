// SPDX-License-Identifier: GPL-2.0-only

#include "socket-channel-interface.h"

#include "message-socket.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/log.h"
#include "ns3/object-type.h"
#include "ns3/opengym-serialization.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SocketChannelInterface");
NS_OBJECT_ENSURE_REGISTERED(SocketChannelInterface);

TypeId
SocketChannelInterface::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<SocketChannelInterface, ChannelInterface>("ns3::SocketChannelInterface")
            .AddAttribute("ConnectTime",
                          "Simulated time before which no connection begins, for networks that "
                          "need time until they carry packets. The later time of both ends counts.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&SocketChannelInterface::m_connectTime),
                          MakeTimeChecker(Time{}))
            .AddAttribute("ReconnectDelay",
                          "Time after which the end that opened a connection opens a new one if it "
                          "failed or broke; 0: never.",
                          TimeValue(Time{}),
                          MakeTimeAccessor(&SocketChannelInterface::m_reconnectDelay),
                          MakeTimeChecker(Time{}))
            .AddAttribute("MaxQueueSize",
                          "Bytes that may wait for a TCP socket, with framing; a message beyond "
                          "the limit is refused.",
                          UintegerValue(std::numeric_limits<uint64_t>::max()),
                          MakeUintegerAccessor(&SocketChannelInterface::m_maxQueueSize),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("TransferDatagramSize",
                          "Payload of a datagram of a transfer over UDP, in bytes.",
                          UintegerValue(1400),
                          MakeUintegerAccessor(&SocketChannelInterface::m_transferDatagramSize),
                          MakeUintegerChecker<uint32_t>(1, 65507))
            .AddAttribute("TransferRate",
                          "Rate at which the payload of transfers is sent over UDP; 0: all "
                          "datagrams at once.",
                          DataRateValue(DataRate()),
                          MakeDataRateAccessor(&SocketChannelInterface::m_transferRate),
                          MakeDataRateChecker());
    return tid;
}

SocketChannelInterface::~SocketChannelInterface() = default;

int
SocketChannelInterface::Send(Ptr<OpenGymDictContainer> data)
{
    NS_LOG_FUNCTION(this << data);
    NS_ABORT_MSG_IF(!data, "A message must not be null");
    const auto payload = SerializeContainer(data);
    const auto header = m_socket ? m_socket->GetHeaderSize() : 0;
    const auto message = DescribeMessage(payload.size(), header + payload.size());
    auto reason = FindObstacle(message);
    if (reason == ChannelDropReason::NONE)
    {
        reason = m_socket->Send(payload, message);
    }
    if (reason != ChannelDropReason::NONE)
    {
        NotifyDrop(message, reason);
        return -1;
    }
    if (m_socket->IsStream())
    {
        m_undelivered.push_back(message);
    }
    NotifyTx(message);
    return static_cast<int>(payload.size());
}

ChannelDropReason
SocketChannelInterface::FindObstacle(const ChannelMessage& message) const
{
    // A stream queues messages; devices accept datagrams only while the simulation runs.
    const auto isReady =
        m_socket &&
        (m_socket->IsStream() ||
         (GetConnectionStatus() == ConnectionStatus::CONNECTED && m_node->IsInitialized()));
    if (!isReady)
    {
        return ChannelDropReason::NOT_CONNECTED;
    }
    return m_socket->GetQueueSize(message.wireBytes) > m_maxQueueSize
               ? ChannelDropReason::QUEUE_FULL
               : ChannelDropReason::NONE;
}

void
SocketChannelInterface::Receive(const std::string& payload, std::optional<ChannelMessage> message)
{
    const Ptr<SocketChannelInterface> self(this);
    if (m_socket->IsStream())
    {
        message = m_peer->m_undelivered.front();
        m_peer->m_undelivered.pop_front();
        if (message->transfer > 0)
        {
            Deliver(*message, nullptr);
            return;
        }
    }
    if (!message)
    {
        NotifyDrop(DescribeMessage(payload.size(), payload.size()), ChannelDropReason::FOREIGN);
        return;
    }
    Deliver(*message, DynamicCast<OpenGymDictContainer>(DeserializeContainer(payload)));
}

SocketChannelInterface::SocketChannelInterface(Ptr<Node> node,
                                               const Address& localAddress,
                                               TypeId protocol)
    : m_node(node),
      m_localAddress(AddPort(localAddress, 0)),
      m_protocol(protocol)
{
    NS_ABORT_MSG_IF(!node, "A socket channel needs a node, not null");
}

std::size_t
SocketChannelInterface::GetQueueSize() const
{
    return m_socket ? m_socket->GetQueueSize() : 0;
}

bool
SocketChannelInterface::IsStream() const
{
    return m_socket && m_socket->IsStream();
}

Address
SocketChannelInterface::GetSocketAddress() const
{
    return m_socket ? m_socket->GetBoundAddress() : Address();
}

void
SocketChannelInterface::SendTransfer(uint64_t number, const std::string& kind, uint64_t bytes)
{
    NS_LOG_FUNCTION(this << number << kind << bytes);
    const auto header = m_socket ? m_socket->GetHeaderSize() : 0;
    const auto message = DescribeTransfer(number, kind, bytes, header);
    auto reason = FindObstacle(message);
    if (reason == ChannelDropReason::NONE && bytes > std::numeric_limits<uint32_t>::max())
    {
        reason = ChannelDropReason::TOO_LARGE;
    }
    if (reason != ChannelDropReason::NONE)
    {
        NotifyDrop(message, reason);
        return;
    }
    m_undelivered.push_back(message);
    NotifyTx(message);
    if (m_socket->IsStream())
    {
        m_socket->SendBytes(static_cast<uint32_t>(bytes), message, {});
        return;
    }
    m_unsent.push_back(message);
    if (!m_partEvent.IsPending())
    {
        SendParts();
    }
}

void
SocketChannelInterface::SendParts()
{
    while (!m_unsent.empty() && !m_partEvent.IsPending())
    {
        const auto& message = m_unsent.front();
        const auto bytes = static_cast<uint32_t>(message.payloadBytes);
        const auto count = (bytes - 1) / m_transferDatagramSize + 1;
        const auto size =
            std::min(m_transferDatagramSize, bytes - m_nextPart * m_transferDatagramSize);
        const auto reason = m_socket->SendBytes(size, message, {m_nextPart, count});
        if (reason != ChannelDropReason::NONE)
        {
            AbandonTransfer(reason);
            continue;
        }
        if (++m_nextPart == count)
        {
            m_unsent.pop_front();
            m_nextPart = 0;
        }
        if (m_transferRate.GetBitRate() > 0)
        {
            m_partEvent = Simulator::Schedule(m_transferRate.CalculateBytesTxTime(size),
                                              &SocketChannelInterface::SendParts,
                                              this);
        }
    }
}

void
SocketChannelInterface::AbandonTransfer(ChannelDropReason reason)
{
    const auto message = m_unsent.front();
    m_unsent.pop_front();
    m_nextPart = 0;
    std::erase_if(m_undelivered,
                  [&message](const auto& sent) { return sent.transfer == message.transfer; });
    NotifyDrop(message, reason);
}

void
SocketChannelInterface::ReceivePart(const ChannelMessage& message, TransferPart part)
{
    const Ptr<SocketChannelInterface> self(this);
    const Ptr<SocketChannelInterface> peer{m_peer};
    auto& sent = peer->m_undelivered;
    const auto number = message.transfer;
    LoseTransfersBefore(number);
    // The callback of a lost transfer may end the connection.
    if (m_peer != peer || sent.empty() || sent.front().transfer != number)
    {
        return;
    }
    if (m_incoming != number)
    {
        m_incoming = number;
        m_receivedParts.assign(part.count, false);
        m_receivedCount = 0;
    }
    if (m_receivedParts[part.index])
    {
        return;
    }
    m_receivedParts[part.index] = true;
    if (++m_receivedCount == part.count)
    {
        const auto whole = sent.front();
        sent.pop_front();
        Deliver(whole, nullptr);
    }
}

void
SocketChannelInterface::LoseTransfersBefore(uint64_t number)
{
    const Ptr<SocketChannelInterface> peer{m_peer};
    while (m_peer == peer && !peer->m_undelivered.empty() &&
           peer->m_undelivered.front().transfer < number)
    {
        const auto lost = peer->m_undelivered.front();
        peer->m_undelivered.pop_front();
        peer->NotifyDrop(lost, ChannelDropReason::LOSS);
    }
}

} // namespace ns3
