// SPDX-License-Identifier: GPL-2.0-only

#ifndef SIMPLE_VALUES_H
#define SIMPLE_VALUES_H

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <sstream>
#include <string>

namespace ns3
{

namespace nb = nanobind;

/**
 * @param value A value in Python.
 * @return how messages show it
 */
std::string Describe(nb::handle value);

/**
 * @param value A value in Python.
 * @return it in ns-3's notation
 */
std::string ToText(nb::handle value);

/**
 * @param value A number in Python.
 * @return an integer
 */
int64_t ToInteger(nb::handle value);

/**
 * @tparam T Type of a value.
 * @param text A text.
 * @return whether all of it is a value, which ns-3 aborts without
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
 * @return the time; raise ValueError if it is none
 */
Time ToTime(nb::handle value);

/**
 * @param value A DataRate, a number of bits per second, or a text such as "5Mbps".
 * @return the data rate; raise ValueError if it is none
 */
DataRate ToDataRate(nb::handle value);

/**
 * @param value How much waits in a queue, such as "100p" or "64kB".
 * @return it; raise ValueError if it is none
 */
QueueSize ToQueueSize(nb::handle value);

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

} // namespace ns3

#endif /* SIMPLE_VALUES_H */
