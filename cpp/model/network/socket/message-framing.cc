// SPDX-License-Identifier: GPL-2.0-only

#include "private/message-framing.h"

#include "ns3/abort.h"

#include <limits>

namespace ns3
{

namespace
{

/**
 * @brief Begin a frame.
 * @param size bytes of the message
 * @return the header
 */
std::string
BeginFrame(std::size_t size)
{
    NS_ABORT_MSG_IF(size > std::numeric_limits<uint32_t>::max(),
                    "A message of " << size << " bytes exceeds the limit of 4 GiB");
    std::string frame;
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        frame.push_back(static_cast<char>(size >> shift & 0xff));
    }
    return frame;
}

/**
 * @brief Make a packet.
 * @param bytes content of the packet
 * @return the packet
 */
Ptr<Packet>
MakePacket(const std::string& bytes)
{
    return Create<Packet>(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

} // namespace

Ptr<Packet>
MessageFraming::MakeHeader(std::size_t size)
{
    return MakePacket(BeginFrame(size));
}

Ptr<Packet>
MessageFraming::Frame(const std::string& payload)
{
    return MakePacket(BeginFrame(payload.size()) + payload);
}

void
MessageFraming::Append(Ptr<const Packet> packet)
{
    m_buffer.erase(0, m_offset);
    m_offset = 0;
    const auto oldSize = m_buffer.size();
    m_buffer.resize(oldSize + packet->GetSize());
    packet->CopyData(reinterpret_cast<uint8_t*>(m_buffer.data()) + oldSize, packet->GetSize());
}

std::optional<std::string>
MessageFraming::Next()
{
    if (m_buffer.size() - m_offset < HEADER_SIZE)
    {
        return std::nullopt;
    }
    std::size_t size = 0;
    for (std::size_t i = 0; i < HEADER_SIZE; ++i)
    {
        size = size << 8 | static_cast<uint8_t>(m_buffer[m_offset + i]);
    }
    if (m_buffer.size() - m_offset - HEADER_SIZE < size)
    {
        return std::nullopt;
    }
    auto payload = m_buffer.substr(m_offset + HEADER_SIZE, size);
    m_offset += HEADER_SIZE + size;
    return payload;
}

} // namespace ns3
