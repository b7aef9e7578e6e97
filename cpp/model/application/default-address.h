// SPDX-License-Identifier: GPL-2.0-only

#ifndef DEFAULT_ADDRESS_H
#define DEFAULT_ADDRESS_H

#include "ns3/address.h"
#include "ns3/node.h"
#include "ns3/ptr.h"

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Find an IPv4 address under which a node can be reached.
 * @param node the node, or null
 * @return its first address that is not loopback, else the loopback address, else an invalid one
 */
Address FindDefaultIpv4Address(Ptr<const Node> node);

/**
 * @ingroup defiance
 *
 * @brief Find an IPv6 address under which a node can be reached from other links, too.
 * @param node the node, or null
 * @return its first global address, else the loopback address, else an invalid one
 */
Address FindDefaultIpv6Address(Ptr<const Node> node);

} // namespace ns3

#endif /* DEFAULT_ADDRESS_H */
