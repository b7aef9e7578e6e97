// SPDX-License-Identifier: GPL-2.0-only

#ifndef SIMPLE_VALUES_H
#define SIMPLE_VALUES_H

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"
#include "ns3/vector.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <sstream>
#include <string>

namespace ns3
{

namespace nb = nanobind;

/**
 * Raise an exception of Python.
 *
 * @param kind Makes the exception, as nb::value_error.
 * @param text The message.
 */
[[noreturn]] inline void
Raise(nb::builtin_exception (*kind)(const char*), const std::string& text)
{
    throw kind(text.c_str());
}

/// @param text The message of the ValueError to raise.
[[noreturn]] inline void
RaiseValueError(const std::string& text)
{
    Raise(nb::value_error, text);
}

/**
 * @param value A value in Python.
 * @return the value's form in messages
 */
std::string Describe(nb::handle value);

/**
 * @param value A value in Python.
 * @return the value in ns-3's notation
 */
std::string ToText(nb::handle value);

/**
 * @param value A number in Python.
 * @return the integer
 */
int64_t ToInteger(nb::handle value);

/**
 * @tparam T Type of a value.
 * @param text A text.
 * @return whether the whole text is a value; else ns-3 aborts
 */
template <typename T>
bool
IsWhole(const std::string& text)
{
    std::istringstream stream(text);
    T value;
    stream >> value;
    return stream.eof() && !stream.fail();
}

/**
 * @param value A Time, a number of seconds, or a text such as "10ms".
 * @return the time; raise ValueError for other values
 */
Time ToTime(nb::handle value);

/**
 * @param value A DataRate, a number of bits per second, or a text such as "5Mbps".
 * @return the data rate; raise ValueError for other values
 */
DataRate ToDataRate(nb::handle value);

/**
 * @param value Size of a queue, such as "100p" or "64kB".
 * @return the size; raise ValueError for other values
 */
QueueSize ToQueueSize(nb::handle value);

/**
 * @param value x, y and optionally z in m.
 * @return the position; raise ValueError for other values
 */
Vector ToPosition(nb::handle value);

/**
 * @param value A text such as "10.0.0.1" or "2001::1", a MAC address, or a pair of IP and port.
 * @return the address; raise ValueError for other values
 */
Address ToAddress(nb::handle value);

/**
 * @param address An address.
 * @return the address as text, or as text and port
 */
nb::object FromAddress(const Address& address);

} // namespace ns3

#endif /* SIMPLE_VALUES_H */
