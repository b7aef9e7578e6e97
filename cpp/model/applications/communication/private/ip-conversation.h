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
 * Names consist of bytes of the headers: source, destination, protocol and ports name a
 * conversation in one direction.
 */
struct IpConversation
{
    std::string name;     //!< Name of the conversation; empty: a fragment without ports
    std::string datagram; //!< Name of the fragment's datagram; empty: not a fragment
};

/**
 * @brief Read the headers of a packet.
 * @param packet a packet
 * @param offset offset of its IPv4 or IPv6 header
 * @return its conversation; nothing if the packet is neither UDP nor TCP
 */
std::optional<IpConversation> ReadIpConversation(Ptr<const Packet> packet, uint32_t offset);

/**
 * @brief Name the conversation between two sockets.
 * @param source address of the sender, with port
 * @param destination address of the receiver, with port
 * @param isStream whether the sockets are TCP rather than UDP
 * @return the name, as in IpConversation
 */
std::string NameIpConversation(const Address& source, const Address& destination, bool isStream);

} // namespace ns3

#endif /* IP_CONVERSATION_H */
