// SPDX-License-Identifier: GPL-2.0-only

#ifndef IP_CONVERSATION_H
#define IP_CONVERSATION_H

#include "ns3/address.h"
#include "ns3/packet.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief The addresses and ports in the headers of a UDP or TCP packet.
 *
 * All names are made of the bytes of the headers: source, destination, protocol and ports name a
 * conversation in one direction.
 */
struct IpConversation
{
    std::string name;     //!< Of the conversation; empty: a fragment that has no ports
    std::string datagram; //!< Of the datagram that it is a fragment of; empty: no fragment
};

/**
 * @brief Read the headers of a packet.
 * @param packet a packet
 * @param offset where its IPv4 or IPv6 header begins
 * @return where it belongs; nothing if it is neither UDP nor TCP
 */
std::optional<IpConversation> ReadIpConversation(Ptr<const Packet> packet, uint32_t offset);

/**
 * @brief Name the conversation between two sockets.
 * @param source address of the one that sends, with port
 * @param destination address of the other one, with port
 * @param isStream whether they are of TCP rather than UDP
 * @return the name, as that of IpConversation
 */
std::string NameIpConversation(const Address& source, const Address& destination, bool isStream);

} // namespace ns3

#endif /* IP_CONVERSATION_H */
