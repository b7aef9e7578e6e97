// SPDX-License-Identifier: GPL-2.0-only

#ifndef ATTRIBUTE_VALUES_H
#define ATTRIBUTE_VALUES_H

#include "object-handle.h"

#include "ns3/attribute.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3
{

/**
 * @param value A Time, a number of seconds, or a text such as "10ms".
 * @return the time; raise ValueError if it is none
 */
Time ToTime(nb::handle value);

/**
 * @param value A DataRate, a number of bits per second, or a text such as "5Mbps".
 * @return the data rate; raise ValueError if it is none
 */
DataRate ToDataRate(nb::handle value);

/**
 * @param text How much waits in a queue, such as "100p" or "64kB".
 * @return it; raise ValueError if it is none
 */
QueueSize ToQueueSize(const std::string& text);

/**
 * @param value Texts such as "10.0.0.1" or "2001::1", a MAC address, or one of IP and a port.
 * @return the address; raise ValueError if it is none
 */
Address ToAddress(nb::handle value);

/**
 * @param address An address.
 * @return it as text, or as text and port
 */
nb::object FromAddress(const Address& address);

/**
 * Find a class by its name; raise LookupError with the nearest name if there is none.
 *
 * @param name Such as "ns3::OnOffApplication".
 * @return its type
 */
TypeId FindType(const std::string& name);

/**
 * Create an object.
 *
 * @param name Name of its class.
 * @param attributes Its attributes, by name.
 * @return the object
 */
Ptr<Object> CreateByName(const std::string& name, const nb::dict& attributes);

/**
 * @param object An object.
 * @param name Name of an attribute.
 * @param value Its new value.
 */
void SetAttributeOf(Object& object, const std::string& name, nb::handle value);

/**
 * @param object An object.
 * @param name Name of an attribute.
 * @return its value
 */
nb::object GetAttributeOf(const Object& object, const std::string& name);

/**
 * Set what an attribute of objects is that are created from now on.
 *
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @param value The value.
 */
void SetDefaultOf(const std::string& path, nb::handle value);

/**
 * @param path Class and attribute, such as "ns3::TcpSocket::SegmentSize".
 * @return what the attribute of objects is that are created from now on
 */
nb::object GetDefaultOf(const std::string& path);

} // namespace ns3

#endif /* ATTRIBUTE_VALUES_H */
