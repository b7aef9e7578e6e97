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
 * Find a class by its name; raise AttributeError with the nearest name for an unknown one.
 *
 * @param name A class such as "ns3::OnOffApplication".
 * @return the type
 */
TypeId FindType(const std::string& name);

/**
 * @param name Name of a class.
 * @return the type; raise AttributeError if it is unknown, ValueError if it is abstract
 */
TypeId FindConcreteType(const std::string& name);

/**
 * @param tid A class.
 * @param name Name of an attribute.
 * @return the attribute; raise AttributeError if it is unknown
 */
AttributeInfo FindAttribute(TypeId tid, const std::string& name);

/**
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @return both; raise AttributeError or ValueError if they are unknown
 */
std::pair<TypeId, AttributeInfo> FindDefault(const std::string& path);

/**
 * @param kind Name of a class of attribute values, without "ns3::".
 * @param info An attribute.
 * @return whether the attribute has that class
 */
bool IsOf(const char* kind, const AttributeInfo& info);

/**
 * Raise ValueError with the values that the attribute allows.
 *
 * @param tid The class.
 * @param info The attribute.
 * @param value The refused kind.
 */
[[noreturn]] void RaiseNotAllowed(TypeId tid, const AttributeInfo& info, nb::handle value);

} // namespace ns3

#endif /* ATTRIBUTE_TYPES_H */
