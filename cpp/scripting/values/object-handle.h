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

#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/// @return the number of the episode that is being built or played, a trial included; 0: none yet
inline uint32_t&
GetEpisode()
{
    static uint32_t episode = 0;
    return episode;
}

/**
 * @brief The Python object of an ns-3 object of any class: a reference that keeps it alive. The
 * base class of the others in Python.
 */
struct ObjectHandle
{
    /// @return the object; raise RuntimeError if its episode, in which ns-3 disposed it, has ended
    const Ptr<Object>& Get() const
    {
        if (episode != 0 && episode != GetEpisode())
        {
            throw std::runtime_error("the " + object->GetInstanceTypeId().GetName() +
                                     " belongs to an earlier episode: make it in the function of "
                                     "the episode");
        }
        return object;
    }

    Ptr<Object> object;             //!< The object
    uint32_t episode{GetEpisode()}; //!< The episode in which Python received it
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
    auto object = DynamicCast<T>(handle.Get());
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
 * @param node A node.
 * @return its text, with its name if it has one
 */
std::string DescribeNode(Ptr<Node> node);

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
