// SPDX-License-Identifier: GPL-2.0-only

#include "simple-values.h"

#include "script-place.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/mac48-address.h"
#include "ns3/rl-parameter.h"
#include "ns3/rl-simulation.h"

#include <arpa/inet.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ns3
{

namespace
{

/**
 * @param family Family of addresses.
 * @param text An address.
 * @return whether it is an address of that family
 */
bool
Parses(int family, const std::string& text)
{
    unsigned char bytes[sizeof(in6_addr)];
    return inet_pton(family, text.c_str(), bytes) == 1;
}

/**
 * @param text An address.
 * @return whether it is six bytes of two hexadecimal digits each, separated by colons
 */
bool
IsMacAddress(const std::string& text)
{
    bool isMac = text.size() == 17;
    for (std::size_t i = 0; isMac && i < text.size(); ++i)
    {
        isMac = i % 3 == 2 ? text[i] == ':' : std::isxdigit(static_cast<unsigned char>(text[i]));
    }
    return isMac;
}

/**
 * Warn of a text without a unit, with the scenario's line.
 *
 * @param text A time or data rate.
 * @param isTime Whether the text is a time.
 */
void
WarnOfUnit(const std::string& text, bool isTime)
{
    if (std::isdigit(static_cast<unsigned char>(text.back())) || text.back() == '.')
    {
        WarnOfMissingUnit("", text, isTime, "\n" + FindPlace());
    }
}

} // namespace

std::string
Describe(nb::handle value)
{
    return nb::cast<std::string>(nb::repr(value));
}

std::string
ToText(nb::handle value)
{
    if (PyBool_Check(value.ptr()))
    {
        return value.is(Py_True) ? "true" : "false";
    }
    return nb::cast<std::string>(nb::str(value));
}

int64_t
ToInteger(nb::handle value)
{
    if (PyFloat_Check(value.ptr()) &&
        PyFloat_AS_DOUBLE(value.ptr()) == static_cast<int64_t>(PyFloat_AS_DOUBLE(value.ptr())))
    {
        return static_cast<int64_t>(PyFloat_AS_DOUBLE(value.ptr()));
    }
    PyObject* const index = PyNumber_Index(value.ptr());
    if (!index)
    {
        throw nb::python_error();
    }
    return nb::cast<int64_t>(nb::steal(index));
}

Time
ToTime(nb::handle value)
{
    Time time;
    if (nb::isinstance<Time>(value))
    {
        return nb::cast<Time>(value);
    }
    if (PyUnicode_Check(value.ptr()))
    {
        const auto text = nb::cast<std::string>(value);
        if (ParseText(text, time))
        {
            WarnOfUnit(text, true);
            return time;
        }
    }
    else if (PyNumber_Check(value.ptr()))
    {
        const auto seconds = nb::cast<double>(nb::float_(value));
        if (std::abs(seconds) < Time::Max().GetSeconds())
        {
            return Seconds(seconds);
        }
    }
    RaiseValueError(Describe(value) + " is not a time, such as \"10ms\" or 0.01");
}

DataRate
ToDataRate(nb::handle value)
{
    DataRate rate;
    if (nb::isinstance<DataRate>(value))
    {
        return nb::cast<DataRate>(value);
    }
    if (PyUnicode_Check(value.ptr()))
    {
        if (ParseText(nb::cast<std::string>(value), rate))
        {
            WarnOfUnit(nb::cast<std::string>(value), false);
            return rate;
        }
    }
    else if (PyNumber_Check(value.ptr()))
    {
        uint64_t bits = 0;
        if (nb::try_cast<uint64_t>(nb::int_(value), bits))
        {
            if (bits > 0 && bits < 1000)
            {
                const auto text = Describe(value);
                RaiseValueError(text + " would be " + text + " bit/s: give it a unit, as \"" +
                                text + "Mbps\"");
            }
            return DataRate(bits);
        }
    }
    RaiseValueError(Describe(value) + " is not a data rate, such as \"5Mbps\"");
}

QueueSize
ToQueueSize(nb::handle value)
{
    const auto text = PyUnicode_Check(value.ptr()) ? nb::cast<std::string>(value) : "";
    if (!IsWhole<QueueSize>(text))
    {
        RaiseValueError(Describe(value) + " is not a queue size, such as \"100p\" or \"64kB\"");
    }
    if (QueueSize(text).GetValue() == 0)
    {
        RaiseValueError("a queue of " + text + " would lose every packet");
    }
    return QueueSize(text);
}

Vector
ToPosition(nb::handle value)
{
    std::vector<double> parts;
    if (!nb::try_cast(value, parts) || parts.size() < 2 || parts.size() > 3 ||
        !std::all_of(parts.begin(), parts.end(), [](double each) { return std::isfinite(each); }))
    {
        RaiseValueError(Describe(value) + " is not a position: give x, y and optionally z, in m");
    }
    return Vector(parts[0], parts[1], parts.size() > 2 ? parts[2] : 0);
}

Address
ToAddress(nb::handle value)
{
    if (nb::isinstance<nb::tuple>(value) && nb::len(value) == 2)
    {
        const auto host = nb::cast<std::string>(nb::str(value[0]));
        const auto port = nb::cast<uint16_t>(value[1]);
        if (Parses(AF_INET, host))
        {
            return InetSocketAddress(Ipv4Address(host.c_str()), port);
        }
        if (Parses(AF_INET6, host))
        {
            return Inet6SocketAddress(Ipv6Address(host.c_str()), port);
        }
    }
    else if (PyUnicode_Check(value.ptr()))
    {
        const auto text = nb::cast<std::string>(value);
        if (Parses(AF_INET, text))
        {
            return Ipv4Address(text.c_str());
        }
        if (Parses(AF_INET6, text))
        {
            return Ipv6Address(text.c_str());
        }
        if (IsMacAddress(text))
        {
            return Mac48Address(text.c_str());
        }
    }
    RaiseValueError(Describe(value) +
                    " is not an address, such as \"10.0.0.1\" or (\"10.0.0.1\", 9)");
}

nb::object
FromAddress(const Address& address)
{
    std::ostringstream text;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto socket = InetSocketAddress::ConvertFrom(address);
        text << socket.GetIpv4();
        return nb::make_tuple(text.str(), socket.GetPort());
    }
    if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto socket = Inet6SocketAddress::ConvertFrom(address);
        text << socket.GetIpv6();
        return nb::make_tuple(text.str(), socket.GetPort());
    }
    if (Ipv4Address::IsMatchingType(address))
    {
        text << Ipv4Address::ConvertFrom(address);
    }
    else if (Ipv6Address::IsMatchingType(address))
    {
        text << Ipv6Address::ConvertFrom(address);
    }
    else if (Mac48Address::IsMatchingType(address))
    {
        text << Mac48Address::ConvertFrom(address);
    }
    else
    {
        text << address;
    }
    return nb::cast(text.str());
}

} // namespace ns3
