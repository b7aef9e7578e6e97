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
 * @brief Cuts a stream of bytes into messages. Each has its length, 4 bytes big-endian, in front.
 */
class MessageFraming
{
  public:
    static constexpr std::size_t HEADER_SIZE{4}; //!< Bytes in front of each message

    /**
     * @brief Make what stands in front of a message.
     * @param size bytes of the message; the limit is 4 GiB
     * @return the header
     */
    static Ptr<Packet> MakeHeader(std::size_t size);

    /**
     * @brief Put the length in front of a message.
     * @param payload the message
     * @return the bytes for the stream
     */
    static Ptr<Packet> Frame(const std::string& payload);

    /**
     * @brief Take the next bytes of the stream.
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
    std::size_t m_offset{0}; //!< Where in the buffer the next message begins
};

} // namespace ns3

#endif /* MESSAGE_FRAMING_H */
