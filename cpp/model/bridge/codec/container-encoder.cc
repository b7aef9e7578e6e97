// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-serialization.h"

#include <google/protobuf/wire_format_lite.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;
using google::protobuf::internal::WireFormatLite;

// Arrays are sent in this machine's representation.
static_assert(std::endian::native == std::endian::little, "The wire is little-endian");

/** The rows of a stack to write. */
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
 * @param message Empty message to write to.
 */
void
EncodeDiscrete(Rows rows, wire::DataContainer& message)
{
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
 * @param message Empty message to write to.
 */
void
EncodeTexts(Rows rows, wire::DataContainer& message)
{
    for (const auto* row : rows)
    {
        message.mutable_text_stack()->add_texts(As<OpenGymTextContainer>(row).GetValue());
    }
}

void EncodeRows(Rows rows, wire::DataContainer& message);

/**
 * @param rows Tuples.
 * @param message Empty message to write to.
 */
void
EncodeTuples(Rows rows, wire::TupleContainer& message)
{
    std::vector<const OpenGymDataContainer*> parts(rows.size());
    for (uint32_t i = 0; i < As<OpenGymTupleContainer>(rows.front()).GetSize(); ++i)
    {
        std::transform(rows.begin(), rows.end(), parts.begin(), [i](const auto* row) {
            return PeekPointer(As<OpenGymTupleContainer>(row).Get(i));
        });
        EncodeRows(parts, *message.add_elements());
    }
}

/**
 * @param rows Dicts.
 * @param message Empty message to write to.
 */
void
EncodeDicts(Rows rows, wire::DictContainer& message)
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
        EncodeRows(parts, *entry.mutable_value());
    }
}

/**
 * Write containers of one structure; abort when an array in them is not filled.
 *
 * @param rows The containers.
 * @param message Empty message to write to.
 */
void
EncodeRows(Rows rows, wire::DataContainer& message)
{
    VisitContainer(
        *rows.front(),
        Overloaded{
            [&](const OpenGymBoxContainerBase&) {
                EncodeTensors(rows, true, *message.mutable_box());
            },
            [&](const OpenGymMultiDiscreteContainer&) {
                EncodeTensors(rows, true, *message.mutable_multi_discrete());
            },
            [&](const OpenGymMultiBinaryContainer&) {
                EncodeTensors(rows, true, *message.mutable_multi_binary());
            },
            [&](const OpenGymDiscreteContainer&) { EncodeDiscrete(rows, message); },
            [&](const OpenGymTextContainer&) { EncodeTexts(rows, message); },
            [&](const OpenGymTupleContainer&) { EncodeTuples(rows, *message.mutable_tuple()); },
            [&](const OpenGymDictContainer&) { EncodeDicts(rows, *message.mutable_dict()); },
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
 * @param shape Lengths of axes.
 * @return the bytes of the packed lengths
 */
std::size_t
ShapeSize(const std::vector<uint32_t>& shape)
{
    return std::accumulate(shape.begin(), shape.end(), std::size_t{0}, [](auto sum, auto length) {
        return sum + WireFormatLite::UInt32Size(length);
    });
}

/**
 * @param container An array.
 * @return the bytes of defiance.v1.Tensor
 */
std::size_t
TensorSize(const OpenGymTensorContainer& container)
{
    CheckComplete(container);
    return TAG + WireFormatLite::EnumSize(static_cast<int>(container.GetDtype())) +
           OptionalFieldSize(ShapeSize(container.GetShape())) +
           OptionalFieldSize(container.GetRawSize());
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
 * @param key Key of an entry.
 * @param value Bytes of its value.
 * @return the bytes of defiance.v1.DictContainer.Entry
 */
std::size_t
EntrySize(const std::string& key, std::size_t value)
{
    return OptionalFieldSize(key.size()) + FieldSize(value);
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
        bytes += FieldSize(EntrySize(key, ContainerSize(*value)));
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
    return VisitContainer(
        container,
        Overloaded{
            [](const OpenGymTensorContainer& tensor) { return FieldSize(TensorSize(tensor)); },
            [](const OpenGymDiscreteContainer& discrete) {
                return TAG + WireFormatLite::Int64Size(discrete.GetValue());
            },
            [](const OpenGymTextContainer& text) { return FieldSize(text.GetValue().size()); },
            [](const OpenGymTupleContainer& tuple) { return FieldSize(TupleSize(tuple)); },
            [](const OpenGymDictContainer& dict) { return FieldSize(DictSize(dict)); },
        });
}

// Functions that write the same bytes as protobuf. Each returns the end of the written bytes.

/**
 * @param field Number of a field.
 * @param bytes Length of its content.
 * @param at Place to write to.
 * @return the place of the content
 */
uint8_t*
WriteLength(int field, std::size_t bytes, uint8_t* at)
{
    constexpr auto type = WireFormatLite::WIRETYPE_LENGTH_DELIMITED;
    at = WireFormatLite::WriteTagToArray(field, type, at);
    return google::protobuf::io::CodedOutputStream::WriteVarint64ToArray(bytes, at);
}

/**
 * @param field Number of a field.
 * @param content Its content.
 * @param size Length of the content.
 * @param at Place to write to.
 * @return the end of the field
 */
uint8_t*
WriteBytes(int field, const void* content, std::size_t size, uint8_t* at)
{
    at = WriteLength(field, size, at);
    return std::copy_n(static_cast<const uint8_t*>(content), size, at);
}

/**
 * @param field Number of the field.
 * @param tensor An array.
 * @param at Place to write to.
 * @return the end of the field
 */
uint8_t*
WriteTensor(int field, const OpenGymTensorContainer& tensor, uint8_t* at)
{
    using google::protobuf::io::CodedOutputStream;
    at = WriteLength(field, TensorSize(tensor), at);
    at = WireFormatLite::WriteEnumToArray(wire::Tensor::kDtypeFieldNumber,
                                          static_cast<int>(tensor.GetDtype()),
                                          at);
    const auto& shape = tensor.GetShape();
    if (!shape.empty())
    {
        at = WriteLength(wire::Tensor::kShapeFieldNumber, ShapeSize(shape), at);
        for (const auto length : shape)
        {
            at = CodedOutputStream::WriteVarint32ToArray(length, at);
        }
    }
    const auto size = tensor.GetRawSize();
    return size == 0 ? at
                     : WriteBytes(wire::Tensor::kDataFieldNumber, tensor.GetRawData(), size, at);
}

/**
 * @param container A container.
 * @param at Place to write to, with room for ContainerSize().
 * @return the end of the container
 */
uint8_t*
WriteContainer(const OpenGymDataContainer& container, uint8_t* at)
{
    using Data = wire::DataContainer;
    return VisitContainer(
        container,
        Overloaded{
            [&](const OpenGymBoxContainerBase& box) {
                return WriteTensor(Data::kBoxFieldNumber, box, at);
            },
            [&](const OpenGymMultiDiscreteContainer& multi) {
                return WriteTensor(Data::kMultiDiscreteFieldNumber, multi, at);
            },
            [&](const OpenGymMultiBinaryContainer& multi) {
                return WriteTensor(Data::kMultiBinaryFieldNumber, multi, at);
            },
            [&](const OpenGymDiscreteContainer& discrete) {
                return WireFormatLite::WriteInt64ToArray(Data::kDiscreteFieldNumber,
                                                         discrete.GetValue(),
                                                         at);
            },
            [&](const OpenGymTextContainer& text) {
                const auto& value = text.GetValue();
                return WriteBytes(Data::kTextFieldNumber, value.data(), value.size(), at);
            },
            [&](const OpenGymTupleContainer& tuple) {
                auto* end = WriteLength(Data::kTupleFieldNumber, TupleSize(tuple), at);
                for (uint32_t i = 0; i < tuple.GetSize(); ++i)
                {
                    const auto& element = *tuple.Get(i);
                    end = WriteLength(wire::TupleContainer::kElementsFieldNumber,
                                      ContainerSize(element),
                                      end);
                    end = WriteContainer(element, end);
                }
                return end;
            },
            [&](const OpenGymDictContainer& dict) {
                using Entry = wire::DictContainer::Entry;
                auto* end = WriteLength(Data::kDictFieldNumber, DictSize(dict), at);
                for (const auto& [key, value] : dict.GetEntries())
                {
                    const auto bytes = ContainerSize(*value);
                    end = WriteLength(wire::DictContainer::kEntriesFieldNumber,
                                      EntrySize(key, bytes),
                                      end);
                    if (!key.empty())
                    {
                        end = WriteBytes(Entry::kKeyFieldNumber, key.data(), key.size(), end);
                    }
                    end = WriteLength(Entry::kValueFieldNumber, bytes, end);
                    end = WriteContainer(*value, end);
                }
                return end;
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
    EncodeRows(rows, message);
}

std::string
SerializeContainer(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    std::string bytes(ContainerSize(*container), '\0');
    WriteContainer(*container, reinterpret_cast<uint8_t*>(bytes.data()));
    return bytes;
}

std::size_t
GetSerializedSize(Ptr<const OpenGymDataContainer> container)
{
    NS_ABORT_MSG_IF(!container, "A container to be serialized is null");
    return ContainerSize(*container);
}

} // namespace ns3
