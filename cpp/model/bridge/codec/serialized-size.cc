// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-serialization.h"

#include <google/protobuf/wire_format_lite.h>

// Sizes of protobuf messages, for the fields that a codec sets. Field numbers and types are those
// of environment.proto; every field number here is below 16, which makes a tag one byte.

namespace ns3
{

namespace
{

using google::protobuf::internal::WireFormatLite;

/** Bytes of a field's tag. */
constexpr std::size_t TAG = 1;

/**
 * @param bytes Length of a field's content: a message, a string, or packed numbers.
 * @return the bytes of the field
 */
std::size_t
FieldSize(std::size_t bytes)
{
    return TAG + WireFormatLite::LengthDelimitedSize(bytes);
}

/**
 * @param bytes Length of a string, bytes or packed numbers.
 * @return the bytes of a field that is left out when it is empty
 */
std::size_t
OptionalFieldSize(std::size_t bytes)
{
    return bytes > 0 ? FieldSize(bytes) : 0;
}

/**
 * @param container An array.
 * @return the bytes of defiance.v1.Tensor
 */
std::size_t
TensorSize(const OpenGymTensorContainer& container)
{
    CheckComplete(container);
    std::size_t shape = 0;
    for (const auto length : container.GetShape())
    {
        shape += WireFormatLite::UInt64Size(length);
    }
    return TAG + WireFormatLite::EnumSize(static_cast<int>(container.GetDtype())) +
           OptionalFieldSize(shape) + OptionalFieldSize(container.GetRawSize());
}

std::size_t ContainerSize(const OpenGymDataContainer& container);

/**
 * @param tuple A tuple.
 * @return the bytes of defiance.v1.TupleContainer
 */
std::size_t
TupleSize(const OpenGymTupleContainer& tuple)
{
    std::size_t bytes = 0;
    for (uint32_t i = 0; i < tuple.GetSize(); ++i)
    {
        bytes += FieldSize(ContainerSize(*tuple.Get(i)));
    }
    return bytes;
}

/**
 * @param dict A dict.
 * @return the bytes of defiance.v1.DictContainer
 */
std::size_t
DictSize(const OpenGymDictContainer& dict)
{
    std::size_t bytes = 0;
    for (const auto& [key, value] : dict.GetEntries())
    {
        bytes += FieldSize(OptionalFieldSize(key.size()) + FieldSize(ContainerSize(*value)));
    }
    return bytes;
}

/**
 * @param container A container.
 * @return the bytes of defiance.v1.DataContainer
 */
std::size_t
ContainerSize(const OpenGymDataContainer& container)
{
    std::size_t bytes = 0;
    const bool known = VisitIf<OpenGymDictContainer>(
                           container,
                           [&](const auto& dict) { bytes = FieldSize(DictSize(dict)); }) ||
                       VisitIf<OpenGymDiscreteContainer>(
                           container,
                           [&](const auto& discrete) {
                               bytes = TAG + WireFormatLite::Int64Size(discrete.GetValue());
                           }) ||
                       VisitIf<OpenGymTextContainer>(
                           container,
                           [&](const auto& text) { bytes = FieldSize(text.GetValue().size()); }) ||
                       VisitIf<OpenGymTupleContainer>(
                           container,
                           [&](const auto& tuple) { bytes = FieldSize(TupleSize(tuple)); }) ||
                       VisitIf<OpenGymTensorContainer>(container, [&](const auto& tensor) {
                           bytes = FieldSize(TensorSize(tensor));
                       });
    CheckKnown(container, known);
    return bytes;
}

} // namespace

std::size_t
GetSerializedSize(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    return ContainerSize(*container);
}

} // namespace ns3
