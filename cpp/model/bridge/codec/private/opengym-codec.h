// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_CODEC_H
#define OPENGYM_CODEC_H

#include "defiance/v1/environment.pb.h"

#include "ns3/opengym-containers.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-spaces.h"
#include "ns3/rl-parameter.h"

#include <type_traits>
#include <typeinfo>

namespace ns3
{

/** Version of the protocol that this library speaks. */
constexpr uint32_t PROTOCOL_VERSION = 2;

/**
 * Call a function if an object has a given class.
 *
 * @tparam T The class.
 * @param object An object.
 * @param function Called with the object as an object of this class.
 * @return whether the object has the class
 */
template <typename T, typename F>
bool
VisitIf(const Object& object, F function)
{
    const T* derived = nullptr;
    if constexpr (std::is_final_v<T>)
    {
        // A fraction of the time of a dynamic cast that fails.
        derived = typeid(object) == typeid(T) ? static_cast<const T*>(&object) : nullptr;
    }
    else
    {
        derived = dynamic_cast<const T*>(&object);
    }
    if (derived)
    {
        function(*derived);
    }
    return derived != nullptr;
}

/**
 * Abort when an array is not filled.
 *
 * @param container The array.
 */
void CheckComplete(const OpenGymTensorContainer& container);

/**
 * Abort when the protocol has no such kind of container.
 *
 * @param container The container.
 * @param known Whether the kind is known.
 */
void CheckKnown(const OpenGymDataContainer& container, bool known);

/**
 * Write an array; abort when its shape is not filled.
 *
 * @param container The array.
 * @param tensor Empty message to write to.
 */
void EncodeTensor(const OpenGymTensorContainer& container, defiance::v1::Tensor& tensor);

/**
 * Write a container; abort when an array in it is not filled.
 *
 * @param container The container.
 * @param message Empty message to write to.
 */
void EncodeContainer(const OpenGymDataContainer& container, defiance::v1::DataContainer& message);

/**
 * Read a container.
 *
 * @param message Any message.
 * @return the container, or null when the message breaks a rule of the protocol
 */
Ptr<OpenGymDataContainer> DecodeContainer(const defiance::v1::DataContainer& message);

/**
 * @param one A container.
 * @param other Another container.
 * @return whether they can be rows of one stack: same kind, element type and shape
 */
bool CanStack(const OpenGymDataContainer& one, const OpenGymDataContainer& other);

/**
 * Write several containers as one; abort when an array in them is not filled.
 *
 * @param rows Containers, at least one, each of which can be stacked with the first.
 * @param message Empty message to write to.
 */
void EncodeStack(const std::vector<const OpenGymDataContainer*>& rows,
                 defiance::v1::DataContainer& message);

/**
 * Read several containers.
 *
 * @param message Any message.
 * @param rows Expected number, at least one.
 * @return the containers; none when the message breaks a rule of the protocol
 */
std::vector<Ptr<OpenGymDataContainer>> DecodeStack(const defiance::v1::DataContainer& message,
                                                   std::size_t rows);

/**
 * Write a space.
 *
 * @param space The space.
 * @param message Empty message to write to.
 */
void EncodeSpace(const OpenGymSpace& space, defiance::v1::Space& message);

/**
 * Write the info of an observation.
 *
 * @param info Values by key.
 * @param entries Empty list to write to.
 */
void EncodeInfo(const OpenGymInfo& info,
                google::protobuf::RepeatedPtrField<defiance::v1::InfoEntry>& entries);

/**
 * Write a scenario's parameter.
 *
 * @param spec The declared parameter.
 * @param value Value of the parameter.
 * @param parameter Empty message to write to.
 */
void EncodeParameter(const RlParameterSpec& spec,
                     const std::string& value,
                     defiance::v1::Parameter& parameter);

} // namespace ns3

#endif /* OPENGYM_CODEC_H */
