// SPDX-License-Identifier: GPL-2.0-only

#ifndef MESSAGE_FRAMING_H
#define MESSAGE_FRAMING_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Splits a stream of bytes into messages. Each message follows its length, 4 bytes
 * big-endian.
 */
class MessageFraming
{
  public:
    static constexpr std::size_t HEADER_SIZE{4}; //!< Bytes in front of each message

    /**
     * @brief Make the header of a message.
     * @param size bytes of the message; at most 4 GiB
     * @return the header
     */
    static Ptr<Packet> MakeHeader(std::size_t size);

    /**
     * @brief Prepend the length to a message.
     * @param payload the message
     * @return the bytes for the stream
     */
    static Ptr<Packet> Frame(const std::string& payload);

    /**
     * @brief Append the next bytes of the stream.
     * @param packet the bytes
     */
    void Append(Ptr<const Packet> packet);

    /**
     * @brief Get the next message.
     * @return the message, or nothing while it is incomplete
     */
    std::optional<std::string> Next();

  private:
    std::string m_buffer;    //!< Received bytes
    std::size_t m_offset{0}; //!< Start of the next message in the buffer
};

} // namespace ns3

#endif /* MESSAGE_FRAMING_H */
