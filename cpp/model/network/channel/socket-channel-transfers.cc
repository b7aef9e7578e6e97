// SPDX-License-Identifier: GPL-2.0-only

// Sending and receiving messages without content through a SocketChannelInterface.

#include "message-socket.h"
#include "socket-channel-interface.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SocketChannelTransfers");

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
