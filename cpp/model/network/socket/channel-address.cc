// SPDX-License-Identifier: GPL-2.0-only

#include "channel-address.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"

#include <sstream>

namespace ns3
{

Address
FindDefaultIpv4Address(Ptr<const Node> node)
{
    Address loopback;
    const auto ipv4 = node ? node->GetObject<Ipv4>() : nullptr;
    for (uint32_t i = 0; ipv4 && i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            const auto address = ipv4->GetAddress(i, j).GetLocal();
            if (!address.IsLocalhost())
            {
                return address;
            }
            loopback = address;
        }
    }
    return loopback;
}

Address
FindDefaultIpv6Address(Ptr<const Node> node)
{
    Address loopback;
    const auto ipv6 = node ? node->GetObject<Ipv6>() : nullptr;
    for (uint32_t i = 0; ipv6 && i < ipv6->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv6->GetNAddresses(i); ++j)
        {
            const auto address = ipv6->GetAddress(i, j).GetAddress();
            if (address.IsLocalhost())
            {
                loopback = address;
            }
            else if (!address.IsLinkLocal())
            {
                return address;
            }
        }
    }
    return loopback;
}

bool
IsIpv6Address(const Address& address)
{
    return Ipv6Address::IsMatchingType(address) || Inet6SocketAddress::IsMatchingType(address);
}

bool
IsLoopback(const Address& address)
{
    const auto whole = AddPort(address, 0);
    return IsIpv6Address(whole) ? Inet6SocketAddress::ConvertFrom(whole).GetIpv6().IsLocalhost()
                                : InetSocketAddress::ConvertFrom(whole).GetIpv4().IsLocalhost();
}

bool
HasAddress(Ptr<const Node> node, const Address& address)
{
    if (IsIpv6Address(address))
    {
        const auto ipv6 = node->GetObject<Ipv6>();
        const auto host = Inet6SocketAddress::ConvertFrom(address).GetIpv6();
        return ipv6 && ipv6->GetInterfaceForAddress(host) >= 0;
    }
    const auto ipv4 = node->GetObject<Ipv4>();
    const auto host = InetSocketAddress::ConvertFrom(address).GetIpv4();
    return ipv4 && ipv4->GetInterfaceForAddress(host) >= 0;
}

Address
AddPort(const Address& address, uint16_t port)
{
    if (Ipv4Address::IsMatchingType(address))
    {
        return InetSocketAddress(Ipv4Address::ConvertFrom(address), port);
    }
    if (Ipv6Address::IsMatchingType(address))
    {
        return Inet6SocketAddress(Ipv6Address::ConvertFrom(address), port);
    }
    NS_ABORT_MSG_UNLESS(
        InetSocketAddress::IsMatchingType(address) || Inet6SocketAddress::IsMatchingType(address),
        "A socket channel needs an IPv4 or IPv6 address of its node, not '"
            << DescribeAddress(address) << "': has the node an Internet stack and an address?");
    return address;
}

uint16_t
GetPort(const Address& address)
{
    return IsIpv6Address(address) ? Inet6SocketAddress::ConvertFrom(address).GetPort()
                                  : InetSocketAddress::ConvertFrom(address).GetPort();
}

std::string
DescribeAddress(const Address& address)
{
    std::ostringstream text;
    if (Ipv4Address::IsMatchingType(address))
    {
        text << Ipv4Address::ConvertFrom(address);
    }
    else if (Ipv6Address::IsMatchingType(address))
    {
        text << Ipv6Address::ConvertFrom(address);
    }
    else if (InetSocketAddress::IsMatchingType(address))
    {
        text << InetSocketAddress::ConvertFrom(address).GetIpv4();
        const auto port = GetPort(address);
        port == 0 ? text : text << ":" << port;
    }
    else if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto host = Inet6SocketAddress::ConvertFrom(address).GetIpv6();
        const auto port = GetPort(address);
        port == 0 ? text << host : text << "[" << host << "]:" << port;
    }
    else if (!address.IsInvalid())
    {
        text << address;
    }
    return text.str();
}

} // namespace ns3
