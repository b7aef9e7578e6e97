// SPDX-License-Identifier: GPL-2.0-only

#include "communication-address.h"

#include "ns3/abort.h"
#include "ns3/channel-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace ns3
{

namespace
{

/**
 * @brief Parse an address without port.
 * @param text the text
 * @return the address, or an invalid one
 */
Address
ParseHost(const std::string& text)
{
    in6_addr buffer;
    if (inet_pton(AF_INET, text.c_str(), &buffer) == 1)
    {
        return Ipv4Address(text.c_str());
    }
    return inet_pton(AF_INET6, text.c_str(), &buffer) == 1 ? Address(Ipv6Address(text.c_str()))
                                                           : Address();
}

/**
 * @brief Parse a port.
 * @param text the text
 * @return the port, or nothing
 */
std::optional<uint16_t>
ParsePort(const std::string& text)
{
    uint16_t port = 0;
    const auto end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && rest == end ? std::optional(port) : std::nullopt;
}

/**
 * @brief Parse an address; abort if it is invalid.
 * @param text the text
 * @return the address
 */
Address
ParseAddress(const std::string& text)
{
    const auto isBracketed = text.starts_with('[');
    // A text with more than one colon is IPv6, whose port follows a bracket.
    const auto hasPort = isBracketed ? text.find("]:") != std::string::npos
                                     : std::count(text.begin(), text.end(), ':') == 1;
    const auto colon = hasPort ? text.rfind(':') : text.size();
    auto host = text.substr(0, colon);
    if (isBracketed && host.ends_with(']'))
    {
        host = host.substr(1, host.size() - 2);
    }
    const auto port = hasPort ? ParsePort(text.substr(colon + 1)) : std::nullopt;
    const auto address = ParseHost(host);
    NS_ABORT_MSG_IF(address.IsInvalid() || (hasPort && !port) ||
                        (isBracketed && !IsIpv6Address(address)),
                    "'" << text
                        << "' is not an address: give one such as \"10.0.0.1\", \"10.0.0.1:5000\", "
                           "\"2001:db8::1\" or \"[2001:db8::1]:5000\"");
    return port ? AddPort(address, *port) : address;
}

} // namespace

CommunicationAddress::CommunicationAddress(const std::string& text)
    : Address(ParseAddress(text))
{
}

} // namespace ns3
