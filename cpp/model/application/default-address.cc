// SPDX-License-Identifier: GPL-2.0-only

#include "default-address.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"

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

} // namespace ns3
