// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-serialization.h"

#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <bit>
#include <span>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using google::protobuf::internal::WireFormatLite;

// Arrays are sent in this machine's representation.
static_assert(std::endian::native == std::endian::little, "The wire is little-endian");

/** Containers to write: one, or all rows of a stack. */
using Rows = std::span<const OpenGymDataContainer* const>;

/**
 * @tparam Container Class of the container.
 * @param container A container of this class.
 * @return the container
 */
template <typename Container>
const Container&
As(const OpenGymDataContainer* container)
{
    return static_cast<const Container&>(*container);
}

/**
 * Abort when an array is not filled.
 *
 * @param container The array.
 */
void
CheckComplete(const OpenGymTensorContainer& container)
{
    NS_ABORT_MSG_IF(!container.IsComplete(),
                    "A container of type " << container.GetInstanceTypeId().GetName() << " holds "
                                           << container.GetSize()
                                           << " elements, fewer than its shape has");
}

/**
 * @param rows Arrays.
 * @param isStack Whether to write a stack, even of one row.
 * @param tensor Empty message to write to.
 */
void
EncodeTensors(Rows rows, bool isStack, wire::Tensor& tensor)
{
    const auto& first = As<OpenGymTensorContainer>(rows.front());
    CheckComplete(first);
    tensor.set_dtype(static_cast<wire::DType>(first.GetDtype()));
    auto& shape = *tensor.mutable_shape();
    if (isStack)
    {
        shape.Add(rows.size());
    }
    shape.Add(first.GetShape().begin(), first.GetShape().end());
    auto& data = *tensor.mutable_data();
    data.reserve(first.GetRawSize() * rows.size());
    for (const auto* row : rows)
    {
        const auto& array = As<OpenGymTensorContainer>(row);
        data.append(static_cast<const char*>(array.GetRawData()), array.GetRawSize());
    }
}

/**
 * @param rows Discrete values.
 * @param isStack Whether to write a stack, even of one row.
 * @param message Empty message to write to.
 */
void
EncodeDiscrete(Rows rows, bool isStack, wire::DataContainer& message)
{
    if (!isStack)
    {
        message.set_discrete(As<OpenGymDiscreteContainer>(rows.front()).GetValue());
        return;
    }
    auto& tensor = *message.mutable_discrete_stack();
    tensor.set_dtype(wire::DTYPE_INT64);
    tensor.add_shape(rows.size());
    auto& data = *tensor.mutable_data();
    data.reserve(rows.size() * sizeof(int64_t));
    for (const auto* row : rows)
    {
        const int64_t value = As<OpenGymDiscreteContainer>(row).GetValue();
        data.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
}

/**
 * @param rows Texts.
 * @param isStack Whether to write a stack, even of one row.
 * @param message Empty message to write to.
 */
void
EncodeTexts(Rows rows, bool isStack, wire::DataContainer& message)
{
    if (!isStack)
    {
        message.set_text(As<OpenGymTextContainer>(rows.front()).GetValue());
        return;
    }
    for (const auto* row : rows)
    {
        message.mutable_text_stack()->add_texts(As<OpenGymTextContainer>(row).GetValue());
    }
}

void EncodeRows(Rows rows, bool isStack, wire::DataContainer& message);

/**
 * @param rows Tuples.
 * @param isStack Whether to write a stack, even of one row.
 * @param message Empty message to write to.
 */
void
EncodeTuples(Rows rows, bool isStack, wire::TupleContainer& message)
{
    std::vector<const OpenGymDataContainer*> parts(rows.size());
    for (uint32_t i = 0; i < As<OpenGymTupleContainer>(rows.front()).GetSize(); ++i)
    {
        std::transform(rows.begin(), rows.end(), parts.begin(), [i](const auto* row) {
            return PeekPointer(As<OpenGymTupleContainer>(row).Get(i));
        });
        EncodeRows(parts, isStack, *message.add_elements());
    }
}

/**
 * @param rows Dicts.
 * @param isStack Whether to write a stack, even of one row.
 * @param message Empty message to write to.
 */
void
EncodeDicts(Rows rows, bool isStack, wire::DictContainer& message)
{
    std::vector<const OpenGymDataContainer*> parts(rows.size());
    for (const auto& [key, value] : As<OpenGymDictContainer>(rows.front()).GetEntries())
    {
        parts.front() = PeekPointer(value);
        for (std::size_t i = 1; i < rows.size(); ++i)
        {
            parts[i] = PeekPointer(As<OpenGymDictContainer>(rows[i]).Get(key));
        }
        auto& entry = *message.add_entries();
        entry.set_key(key);
        EncodeRows(parts, isStack, *entry.mutable_value());
    }
}

/**
 * Write containers of one structure; abort when an array in them is not filled.
 *
 * @param rows The containers.
 * @param isStack Whether to write a stack, even of one row.
 * @param message Empty message to write to.
 */
void
EncodeRows(Rows rows, bool isStack, wire::DataContainer& message)
{
    VisitContainer(
        *rows.front(),
        Overloaded{
            [&](const OpenGymBoxContainerBase&) {
                EncodeTensors(rows, isStack, *message.mutable_box());
            },
            [&](const OpenGymMultiDiscreteContainer&) {
                EncodeTensors(rows, isStack, *message.mutable_multi_discrete());
            },
            [&](const OpenGymMultiBinaryContainer&) {
                EncodeTensors(rows, isStack, *message.mutable_multi_binary());
            },
            [&](const OpenGymDiscreteContainer&) { EncodeDiscrete(rows, isStack, message); },
            [&](const OpenGymTextContainer&) { EncodeTexts(rows, isStack, message); },
            [&](const OpenGymTupleContainer&) {
                EncodeTuples(rows, isStack, *message.mutable_tuple());
            },
            [&](const OpenGymDictContainer&) {
                EncodeDicts(rows, isStack, *message.mutable_dict());
            },
        });
}

// Sizes of protobuf messages, for the fields that EncodeRows() sets. Field numbers and types are
// those of environment.proto; every field number here is below 16, which makes a tag one byte.

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

/**
 * @param container A container.
 * @return the bytes of defiance.v1.DataContainer
 */
std::size_t
ContainerSize(const OpenGymDataContainer& container)
{
    return VisitContainer(
        container,
        Overloaded{
            [](const OpenGymTensorContainer& tensor) { return FieldSize(TensorSize(tensor)); },
            [](const OpenGymDiscreteContainer& discrete) {
                return TAG + WireFormatLite::Int64Size(discrete.GetValue());
            },
            [](const OpenGymTextContainer& text) { return FieldSize(text.GetValue().size()); },
            [](const OpenGymTupleContainer& tuple) {
                std::size_t bytes = 0;
                for (uint32_t i = 0; i < tuple.GetSize(); ++i)
                {
                    bytes += FieldSize(ContainerSize(*tuple.Get(i)));
                }
                return FieldSize(bytes);
            },
            [](const OpenGymDictContainer& dict) {
                std::size_t bytes = 0;
                for (const auto& [key, value] : dict.GetEntries())
                {
                    bytes +=
                        FieldSize(OptionalFieldSize(key.size()) + FieldSize(ContainerSize(*value)));
                }
                return FieldSize(bytes);
            },
        });
}

} // namespace

void
EncodeTensor(const OpenGymTensorContainer& container, wire::Tensor& tensor)
{
    const OpenGymDataContainer* row = &container;
    EncodeTensors(Rows(&row, 1), false, tensor);
}

void
EncodeContainer(const OpenGymDataContainer& container, wire::DataContainer& message)
{
    const auto* row = &container;
    EncodeRows(Rows(&row, 1), false, message);
}

bool
CanStack(const OpenGymDataContainer& one, const OpenGymDataContainer& other)
{
    if (one.GetInstanceTypeId() != other.GetInstanceTypeId())
    {
        return false;
    }
    return VisitContainer(
        one,
        Overloaded{
            [](const OpenGymDataContainer&) { return true; },
            [&](const OpenGymTensorContainer& tensor) {
                const auto& second = As<OpenGymTensorContainer>(&other);
                return tensor.GetShape() == second.GetShape() && second.IsComplete();
            },
            [&](const OpenGymTupleContainer& tuple) {
                const auto& second = As<OpenGymTupleContainer>(&other);
                bool can = tuple.GetSize() == second.GetSize();
                for (uint32_t i = 0; can && i < tuple.GetSize(); ++i)
                {
                    can = CanStack(*tuple.Get(i), *second.Get(i));
                }
                return can;
            },
            [&](const OpenGymDictContainer& dict) {
                const auto& second = As<OpenGymDictContainer>(&other).GetEntries();
                return std::equal(dict.GetEntries().begin(),
                                  dict.GetEntries().end(),
                                  second.begin(),
                                  second.end(),
                                  [](const auto& a, const auto& b) {
                                      return a.first == b.first && CanStack(*a.second, *b.second);
                                  });
            },
        });
}

void
EncodeStack(const std::vector<const OpenGymDataContainer*>& rows, wire::DataContainer& message)
{
    EncodeRows(rows, true, message);
}

std::string
SerializeContainer(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    wire::DataContainer message;
    EncodeContainer(*container, message);
    return message.SerializeAsString();
}

std::size_t
GetSerializedSize(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    return ContainerSize(*container);
}

} // namespace ns3
