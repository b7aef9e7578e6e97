// SPDX-License-Identifier: GPL-2.0-only

#ifndef ATTRIBUTE_TYPES_H
#define ATTRIBUTE_TYPES_H

#include "ns3/type-id.h"

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

namespace ns3
{

namespace nb = nanobind;

using AttributeInfo = TypeId::AttributeInformation; //!< The facts of an attribute

/**
 * Find a class by its name; raise LookupError with the nearest name if there is none.
 *
 * @param name A class such as "ns3::OnOffApplication".
 * @return its type
 */
TypeId FindType(const std::string& name);

/**
 * @param name Name of a class.
 * @return its type; raise LookupError if there is none, ValueError if it is abstract
 */
TypeId FindConcreteType(const std::string& name);

/**
 * @param tid A class.
 * @param name Name of an attribute.
 * @return what is known of it; raise AttributeError if there is none
 */
AttributeInfo FindAttribute(TypeId tid, const std::string& name);

/**
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @return both; raise AttributeError or ValueError if there are no such
 */
std::pair<TypeId, AttributeInfo> FindDefault(const std::string& path);

/**
 * @param kind Name of a class of attribute values, without "ns3::".
 * @param info An attribute.
 * @return whether it is of that class
 */
bool IsOf(const char* kind, const AttributeInfo& info);

/**
 * Raise ValueError with what the attribute can be.
 *
 * @param tid The class.
 * @param info The attribute.
 * @param value The refused kind.
 */
[[noreturn]] void RaiseNotAllowed(TypeId tid, const AttributeInfo& info, nb::handle value);

} // namespace ns3

#endif /* ATTRIBUTE_TYPES_H */
