// SPDX-License-Identifier: GPL-2.0-only

#include "private/ip-conversation.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

#include <array>

namespace ns3
{

namespace
{

constexpr uint8_t TCP = 6;       // IP's protocol number for TCP
constexpr uint8_t UDP = 17;      // IP's protocol number for UDP
constexpr uint8_t FRAGMENT = 44; // IP's number of IPv6's fragment header
constexpr uint32_t MOST = 96;    // relevant bytes: a link's header, the longest IPv4 header, ports

/// Positions of the fields of an IP header.
struct Layout
{
    std::size_t addresses;  //!< Offset of the source, then the destination
    std::size_t addressEnd; //!< End of both addresses
    std::size_t ports;      //!< Offset of the ports of UDP or TCP
    uint8_t protocol;       //!< IP protocol number
    std::string
        datagram; //!< If fragmented: the datagram's identification, besides addresses and protocol
    bool isFirst; //!< Whether it has a UDP or TCP header
};

/**
 * @param bytes An IPv4 header.
 * @return the fields of the header
 */
Layout
ReadIpv4(const std::string& bytes)
{
    const auto at = [&bytes](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
    const auto offset = (at(6) & 0x1f) << 8 | at(7);
    const bool isFragment = offset > 0 || (at(6) & 0x20) != 0;
    return {12, 20, (at(0) & 0xfU) * 4, at(9), isFragment ? bytes.substr(4, 2) : "", offset == 0};
}

/**
 * @param bytes An IPv6 header.
 * @return the fields of the header
 */
Layout
ReadIpv6(const std::string& bytes)
{
    const auto at = [&bytes](std::size_t i) { return static_cast<uint8_t>(bytes[i]); };
    if (at(6) != FRAGMENT)
    {
        return {8, 40, 40, at(6), "", true};
    }
    const auto offset = (at(42) << 8 | at(43)) >> 3;
    return {8, 40, 48, at(40), bytes.substr(44, 4), offset == 0};
}

/**
 * @param address Address with port.
 * @return the bytes of address and port
 */
std::pair<std::string, std::string>
Split(const Address& address)
{
    uint16_t port = 0;
    std::array<uint8_t, 16> bytes{};
    std::size_t size = 4;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto socket = InetSocketAddress::ConvertFrom(address);
        socket.GetIpv4().Serialize(bytes.data());
        port = socket.GetPort();
    }
    else
    {
        const auto socket = Inet6SocketAddress::ConvertFrom(address);
        socket.GetIpv6().Serialize(bytes.data());
        port = socket.GetPort();
        size = bytes.size();
    }
    return {std::string(bytes.begin(), bytes.begin() + size),
            {static_cast<char>(port >> 8), static_cast<char>(port & 0xff)}};
}

} // namespace

std::optional<IpConversation>
ReadIpConversation(Ptr<const Packet> packet, uint32_t offset)
{
    std::array<uint8_t, MOST> buffer{};
    const auto read = packet->CopyData(buffer.data(), buffer.size());
    const std::string bytes(buffer.begin() + std::min(offset, read), buffer.begin() + read);
    const auto version = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]) >> 4;
    if (!(version == 4 && bytes.size() >= 20) && !(version == 6 && bytes.size() >= 48))
    {
        return std::nullopt;
    }
    const auto layout = version == 4 ? ReadIpv4(bytes) : ReadIpv6(bytes);
    if (layout.protocol != UDP && layout.protocol != TCP)
    {
        return std::nullopt;
    }
    const auto hosts = bytes.substr(layout.addresses, layout.addressEnd - layout.addresses) +
                       static_cast<char>(layout.protocol);
    IpConversation conversation;
    if (layout.isFirst && bytes.size() >= layout.ports + 4)
    {
        conversation.name = hosts + bytes.substr(layout.ports, 4);
    }
    if (!layout.datagram.empty())
    {
        conversation.datagram = hosts + layout.datagram;
    }
    return conversation;
}

std::string
NameIpConversation(const Address& source, const Address& destination, bool isStream)
{
    const auto [from, fromPort] = Split(source);
    const auto [to, toPort] = Split(destination);
    return from + to + static_cast<char>(isStream ? TCP : UDP) + fromPort + toPort;
}

} // namespace ns3
