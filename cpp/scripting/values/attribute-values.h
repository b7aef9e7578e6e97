// SPDX-License-Identifier: GPL-2.0-only

#ifndef ATTRIBUTE_VALUES_H
#define ATTRIBUTE_VALUES_H

#include "ns3/object.h"
#include "ns3/ptr.h"

#include <nanobind/nanobind.h>

#include <string>

namespace ns3
{

namespace nb = nanobind;

/**
 * Create an object.
 *
 * @param name Name of the class.
 * @param attributes Attributes by name.
 * @return the object
 */
Ptr<Object> CreateByName(const std::string& name, const nb::dict& attributes);

/**
 * @param object An object.
 * @param name Name of an attribute.
 * @param value The new value.
 */
void SetAttributeOf(Object& object, const std::string& name, nb::handle value);

/**
 * @param object An object.
 * @param name Name of an attribute.
 * @return the value of the attribute
 */
nb::object GetAttributeOf(const Object& object, const std::string& name);

/**
 * Set the default of an attribute for objects created from now on.
 *
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @param value The value.
 */
void SetDefaultOf(const std::string& path, nb::handle value);

/**
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @return the default of the attribute
 */
nb::object GetDefaultOf(const std::string& path);

} // namespace ns3

#endif /* ATTRIBUTE_VALUES_H */
