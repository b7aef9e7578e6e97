// SPDX-License-Identifier: GPL-2.0-only

#ifndef COMMUNICATION_ADDRESS_H
#define COMMUNICATION_ADDRESS_H

#include "ns3/address.h"

#include <string>
#include <type_traits>

namespace ns3
{

/**
 * @ingroup defiance
 *
 * @brief An address of a node, which may be a text, with or without port: "10.0.0.1",
 * "10.0.0.1:5000", "2001:db8::1", "[2001:db8::1]:5000".
 */
class CommunicationAddress : public Address
{
  public:
    CommunicationAddress() = default; //!< Leave it open.

    /**
     * @brief Convert an address.
     * @param address an Address, or a value that converts to one, such as Ipv4Address
     */
    template <typename T>

    requires std::is_convertible_v<T, Address> CommunicationAddress(const T& address)
        : Address(address)
    {
    }

    /// Abort if invalid. @param text as above
    CommunicationAddress(const char* text)
        : CommunicationAddress(std::string(text))
    {
    }

    CommunicationAddress(const std::string& text); //!< Abort if invalid. @param text as above
};

} // namespace ns3

#endif /* COMMUNICATION_ADDRESS_H */
