// SPDX-License-Identifier: GPL-2.0-only

#ifndef CHANNEL_ADDRESS_H
#define CHANNEL_ADDRESS_H

#include "ns3/address.h"
#include "ns3/node.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief Find an IPv4 address of a node for other nodes.
 * @param node the node, or null
 * @return its first address that is not loopback, else the loopback address, else an invalid one
 */
Address FindDefaultIpv4Address(Ptr<const Node> node);

/**
 * @ingroup defiance
 *
 * @brief Find an IPv6 address of a node for nodes on other links, too.
 * @param node the node, or null
 * @return its first global address, else the loopback address, else an invalid one
 */
Address FindDefaultIpv6Address(Ptr<const Node> node);

/**
 * @ingroup defiance
 *
 * @brief Return whether an address is an IPv6 address.
 * @param address an address with or without port
 * @return whether it is one
 */
bool IsIpv6Address(const Address& address);

/**
 * @ingroup defiance
 *
 * @brief Return whether an address is that of the node itself, whichever node uses it.
 * @param address an IPv4 or IPv6 address, with or without port
 * @return whether it is a loopback address
 */
bool IsLoopback(const Address& address);

/**
 * @ingroup defiance
 *
 * @brief Return whether a node has an address.
 * @param node the node
 * @param address an IPv4 or IPv6 address with port
 * @return whether one of its interfaces has it
 */
bool HasAddress(Ptr<const Node> node, const Address& address);

/**
 * @ingroup defiance
 *
 * @brief Add a port to an address without one; abort if it is neither IPv4 nor IPv6.
 * @param address an address with or without port
 * @param port the port; 0 lets the stack choose
 * @return the address with port
 */
Address AddPort(const Address& address, uint16_t port);

/**
 * @ingroup defiance
 *
 * @brief Get the port of an address.
 * @param address an IPv4 or IPv6 address with port
 * @return the port
 */
uint16_t GetPort(const Address& address);

/**
 * @ingroup defiance
 *
 * @brief Format an address for messages.
 * @param address any address
 * @return "10.0.0.1", "10.0.0.1:5000", "2001:db8::1" or "[2001:db8::1]:5000", without a port of 0;
 * for other kinds ns-3's output
 */
std::string DescribeAddress(const Address& address);

} // namespace ns3

#endif /* CHANNEL_ADDRESS_H */
