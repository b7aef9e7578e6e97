// SPDX-License-Identifier: GPL-2.0-only

#ifndef OBJECT_HANDLE_H
#define OBJECT_HANDLE_H

#include "simple-values.h"

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

/// Any object; the base class of the others in Python.
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

/// A packet from a trace source.
struct PacketHandle
{
    Ptr<const Packet> packet; //!< The packet
};

/**
 * @param object An object, or null.
 * @return the Python object, of the nearest class; None
 */
nb::object Wrap(Ptr<Object> object);

/**
 * @tparam T Class of the object, guaranteed by its handle.
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
        const auto found = handle.object ? handle.object->GetInstanceTypeId().GetName() : "None";
        Raise(nb::type_error, T::GetTypeId().GetName() + " is needed here, not " + found);
    }
    return object;
}

/**
 * @tparam H Type of the handle.
 * @param value A value in Python.
 * @param what The expected kind, in words.
 * @return the handle; raise TypeError for other values
 */
template <typename H>
H&
Expect(nb::handle value, const char* what)
{
    if (!nb::isinstance<H>(value))
    {
        Raise(nb::type_error, nb::cast<std::string>(nb::repr(value)) + " is not a " + what);
    }
    return nb::cast<H&>(value);
}

/**
 * Raise AttributeError with the nearest known word.
 *
 * @param message The fault.
 * @param word The unknown word.
 * @param words The known words.
 */
[[noreturn]] void RaiseUnknown(const std::string& message,
                               const std::string& word,
                               const std::vector<std::string>& words);

} // namespace ns3

#endif /* OBJECT_HANDLE_H */
