// SPDX-License-Identifier: GPL-2.0-only

#ifndef OBJECT_HANDLE_H
#define OBJECT_HANDLE_H

#include "ns3/application.h"
#include "ns3/channel.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @brief The Python object of an ns-3 object: a reference that keeps it alive.
 *
 * @tparam T Class of the object.
 */
template <typename T>
struct Handle
{
    Ptr<T> object; //!< The object
};

/// Any object; the base of the others in Python.
struct ObjectHandle : Handle<Object>
{
};

/// A node.
struct NodeHandle : ObjectHandle
{
};

/// A network device.
struct DeviceHandle : ObjectHandle
{
};

/// An application.
struct ApplicationHandle : ObjectHandle
{
};

/// A stream of random numbers.
struct RandomHandle : ObjectHandle
{
};

/// A packet, as trace sources tell it.
struct PacketHandle
{
    Ptr<const Packet> packet; //!< The packet
};

/**
 * @param object An object, or null.
 * @return what Python holds of it, of the nearest class; None
 */
nb::object Wrap(Ptr<Object> object);

/**
 * @tparam T Class of the object, which its handle vouches for.
 * @param handle The Python object.
 * @return the object
 */
template <typename T>
Ptr<T>
Unwrap(const ObjectHandle& handle)
{
    auto object = DynamicCast<T>(handle.object);
    if (!object)
    {
        throw nb::type_error("this object is of another class");
    }
    return object;
}

/**
 * @tparam H The Python objects of objects of some class.
 * @param value A value in Python.
 * @param what The expected kind, in words.
 * @return it as such; raise TypeError if it is something else
 */
template <typename H>
H&
Expect(nb::handle value, const char* what)
{
    if (!nb::isinstance<H>(value))
    {
        throw nb::type_error((nb::cast<std::string>(nb::repr(value)) + " is no " + what).c_str());
    }
    return nb::cast<H&>(value);
}

/**
 * Raise AttributeError, LookupError or the like, with the word that may have been meant.
 *
 * @param message The fault.
 * @param word The word that is not known.
 * @param words The existing objects.
 */
[[noreturn]] void RaiseUnknown(const std::string& message,
                               const std::string& word,
                               const std::vector<std::string>& words);

} // namespace ns3

#endif /* OBJECT_HANDLE_H */
