// SPDX-License-Identifier: GPL-2.0-only

#ifndef OPENGYM_CODEC_H
#define OPENGYM_CODEC_H

#include "defiance/v1/environment.pb.h"

#include "ns3/abort.h"
#include "ns3/opengym-containers.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-spaces.h"
#include "ns3/rl-parameter.h"

#include <type_traits>
#include <typeinfo>
#include <vector>

namespace ns3
{

/** Version of the protocol that this library speaks. */
constexpr uint32_t PROTOCOL_VERSION = 2;

/**
 * @brief Functions that are called as one, each for the arguments that it accepts.
 *
 * @tparam F Classes of the functions.
 */
template <typename... F>
struct Overloaded : F...
{
    using F::operator()...;
};

template <typename... F>
Overloaded(F...) -> Overloaded<F...>;

/**
 * Call a function with an object as an object of its class.
 *
 * @tparam T A possible class.
 * @tparam Others The other possible classes.
 * @param object An object; abort when it has none of the classes.
 * @param function Called with the object. Its result has one type for all classes.
 * @return the function's result
 */
template <typename T, typename... Others, typename F>
auto
VisitAs(const Object& object, F&& function)
{
    if (typeid(object) == typeid(T))
    {
        return function(static_cast<const T&>(object));
    }
    if constexpr (!std::is_final_v<T>)
    {
        // Takes several times as long as the comparison above.
        if (const auto* derived = dynamic_cast<const T*>(&object))
        {
            return function(*derived);
        }
    }
    if constexpr (sizeof...(Others) > 0)
    {
        return VisitAs<Others...>(object, function);
    }
    else
    {
        NS_ABORT_MSG("The protocol has nothing for " << object.GetInstanceTypeId().GetName());
    }
}

/**
 * Call a function with a container as an object of its class.
 *
 * @param container A container; abort when the protocol has no such kind.
 * @param function Called with the container. Its result has one type for all classes.
 * @return the function's result
 */
template <typename F>
auto
VisitContainer(const OpenGymDataContainer& container, F&& function)
{
    return VisitAs<OpenGymDictContainer,
                   OpenGymDiscreteContainer,
                   OpenGymMultiDiscreteContainer,
                   OpenGymMultiBinaryContainer,
                   OpenGymTextContainer,
                   OpenGymTupleContainer,
                   OpenGymBoxContainerBase>(container, function);
}

/**
 * Call a function with a space as an object of its class.
 *
 * @param space A space; abort when the protocol has no such kind.
 * @param function Called with the space. Its result has one type for all classes.
 * @return the function's result
 */
template <typename F>
auto
VisitSpace(const OpenGymSpace& space, F&& function)
{
    return VisitAs<OpenGymBoxSpace,
                   OpenGymDiscreteSpace,
                   OpenGymMultiDiscreteSpace,
                   OpenGymMultiBinarySpace,
                   OpenGymTextSpace,
                   OpenGymTupleSpace,
                   OpenGymDictSpace>(space, function);
}

/**
 * Write an array; abort when its shape is not filled.
 *
 * @param container The array.
 * @param tensor Empty message to write to.
 */
void EncodeTensor(const OpenGymTensorContainer& container, defiance::v1::Tensor& tensor);

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
