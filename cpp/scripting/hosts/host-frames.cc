// SPDX-License-Identifier: GPL-2.0-only

#include "host-frames.h"

#include <algorithm>
#include <cstddef>

namespace ns3
{

namespace
{

using Bytes = std::span<const uint8_t>;

constexpr std::size_t ETHERNET_BYTES = 14; //!< Length of a header of Ethernet
constexpr std::size_t MOST_PAYLOAD = 1500; //!< Longest payload of a frame
constexpr std::size_t IP_BYTES = 20;       //!< Length of a header of IPv4 without options
constexpr std::size_t ICMP_BYTES = 8;      //!< Length of a header of ICMP
constexpr std::size_t UDP_BYTES = 8;       //!< Length of a header of UDP
constexpr std::size_t TCP_BYTES = 20;      //!< Length of a header of TCP without options

/**
 * @param bytes At least two more bytes than the offset.
 * @param offset Offset of the number.
 * @return the number
 */
uint16_t
Read16(Bytes bytes, std::size_t offset)
{
    return static_cast<uint16_t>(bytes[offset] << 8 | bytes[offset + 1]);
}

/**
 * @param address An IPv4 address.
 * @return whether a packet may come from it: ns-3 answers to this address
 */
bool
IsUnicast(uint32_t address)
{
    constexpr uint8_t LOOPBACK = 127;
    constexpr uint8_t MULTICAST = 224;
    const auto first = address >> 24;
    return first != 0 && first != LOOPBACK && first < MULTICAST;
}

/**
 * @param bytes At least four more bytes than the offset.
 * @param offset Offset of the number.
 * @return the number
 */
uint32_t
Read32(Bytes bytes, std::size_t offset)
{
    return static_cast<uint32_t>(Read16(bytes, offset)) << 16 | Read16(bytes, offset + 2);
}

/**
 * @param bytes An ARP packet.
 * @return whether it asks for or tells a MAC address of an IPv4 address
 */
bool
IsSoundArp(Bytes bytes)
{
    constexpr std::size_t ARP_BYTES = 28;
    constexpr uint8_t BEGIN[]{0, 1, 8, 0, 6, 4, 0}; // Ethernet, IPv4, their lengths
    return bytes.size() >= ARP_BYTES &&
           std::equal(std::begin(BEGIN), std::end(BEGIN), bytes.begin()) &&
           (bytes[7] == 1 || bytes[7] == 2) && IsUnicast(Read32(bytes, 14));
}

/**
 * @param bytes Options of a TCP segment.
 * @return whether each has its length
 */
bool
AreSoundOptions(Bytes bytes)
{
    while (!bytes.empty() && bytes[0] != 0)
    {
        std::size_t length = 1;
        if (bytes[0] != 1)
        {
            if (bytes.size() < 2 || bytes[1] < 2 || bytes[1] > bytes.size())
            {
                return false;
            }
            length = bytes[1];
            const bool isSack = length > 2 && length % 8 == 2;
            constexpr std::size_t LENGTHS[]{0, 0, 4, 3, 2, 0, 0, 0, 10}; // by the option's kind
            const auto kind = bytes[0];
            const auto due = kind < std::size(LENGTHS) ? LENGTHS[kind] : 0;
            if ((due && length != due) || (kind == 5 && !isSack))
            {
                return false;
            }
        }
        bytes = bytes.subspan(length);
    }
    return true;
}

/**
 * @param protocol Number of the protocol.
 * @param bytes Payload of an IPv4 packet, or of its first fragment.
 * @param isWhole Whether it is the whole payload.
 * @return whether the headers are sound
 */
bool
IsSoundPayload(uint8_t protocol, Bytes bytes, bool isWhole)
{
    constexpr uint8_t ICMP = 1;
    constexpr uint8_t TCP = 6;
    constexpr uint8_t UDP = 17;
    if (protocol == TCP)
    {
        const std::size_t header = bytes.size() < TCP_BYTES ? 0 : (bytes[12] >> 4) * 4;
        return header >= TCP_BYTES && header <= bytes.size() &&
               AreSoundOptions(bytes.subspan(TCP_BYTES, header - TCP_BYTES));
    }
    if (protocol == UDP)
    {
        const std::size_t length = bytes.size() < UDP_BYTES ? 0 : Read16(bytes, 4);
        return length >= UDP_BYTES && (isWhole ? length == bytes.size() : length > bytes.size());
    }
    if (protocol == ICMP)
    {
        // An error has the header and the first 8 bytes of the packet that it is about.
        constexpr uint8_t ERRORS[]{3, 4, 5, 11, 12};
        const bool isError =
            !bytes.empty() &&
            std::find(std::begin(ERRORS), std::end(ERRORS), bytes[0]) != std::end(ERRORS);
        constexpr auto ERROR_BYTES = ICMP_BYTES + IP_BYTES + ICMP_BYTES;
        return bytes.size() >= (isError ? ERROR_BYTES : ICMP_BYTES) &&
               (!isError || bytes[ICMP_BYTES] == 0x45);
    }
    return true;
}

/**
 * @param bytes An IPv4 packet, and the padding after it.
 * @param isHost See IsSoundFrame().
 * @return whether it is sound
 */
bool
IsSoundPacket(Bytes bytes, const std::function<bool(uint32_t)>& isHost)
{
    if (bytes.size() < IP_BYTES || bytes[0] != 0x45)
    {
        return false;
    }
    const auto length = Read16(bytes, 2);
    uint32_t sum = 0;
    for (std::size_t i = 0; i < IP_BYTES; i += 2)
    {
        sum += Read16(bytes, i);
    }
    if (length < IP_BYTES || length > bytes.size() || (sum & 0xffff) + (sum >> 16) != 0xffff)
    {
        return false;
    }
    constexpr uint16_t OFFSET = 0x1fff;
    constexpr uint16_t MORE = 0x2000;
    const auto fragment = Read16(bytes, 6);
    const bool isWhole = (fragment & (OFFSET | MORE)) == 0;
    if (!IsUnicast(Read32(bytes, 12)) || (!isWhole && !isHost(Read32(bytes, 16))))
    {
        return false;
    }
    return (fragment & OFFSET) != 0 ||
           IsSoundPayload(bytes[9], bytes.subspan(IP_BYTES, length - IP_BYTES), isWhole);
}

} // namespace

bool
IsSoundFrame(Bytes frame, const std::function<bool(uint32_t)>& isHost)
{
    constexpr uint16_t IPV4 = 0x0800;
    constexpr uint16_t ARP = 0x0806;
    if (frame.size() < ETHERNET_BYTES || frame.size() > ETHERNET_BYTES + MOST_PAYLOAD)
    {
        return false;
    }
    const auto payload = frame.subspan(ETHERNET_BYTES);
    const auto type = Read16(frame, ETHERNET_BYTES - 2);
    return (type == ARP && IsSoundArp(payload)) || (type == IPV4 && IsSoundPacket(payload, isHost));
}

} // namespace ns3
