// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"
#include "tensor-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-builders.h"

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/** The rows of a stack, all with one structure. */
using Rows = std::vector<const OpenGymDataContainer*>;

/**
 * @tparam Container Class of the rows.
 * @param rows Rows.
 * @param part Returns the wanted part of a row.
 * @return the part of each row
 */
template <typename Container, typename F>
Rows
GetParts(const Rows& rows, F part)
{
    Rows parts;
    parts.reserve(rows.size());
    for (const auto* row : rows)
    {
        parts.push_back(PeekPointer(part(static_cast<const Container&>(*row))));
    }
    return parts;
}

/**
 * @param rows Arrays.
 * @param tensor Empty message to write to.
 */
void
StackTensors(const Rows& rows, wire::Tensor& tensor)
{
    EncodeTensor(static_cast<const OpenGymTensorContainer&>(*rows.front()), tensor);
    const std::vector<uint64_t> shape(tensor.shape().begin(), tensor.shape().end());
    tensor.clear_shape();
    tensor.add_shape(rows.size());
    tensor.mutable_shape()->Add(shape.begin(), shape.end());
    auto& data = *tensor.mutable_data();
    data.reserve(data.size() * rows.size());
    for (std::size_t i = 1; i < rows.size(); ++i)
    {
        const auto& row = static_cast<const OpenGymTensorContainer&>(*rows[i]);
        data.append(static_cast<const char*>(row.GetRawData()), row.GetRawSize());
    }
}

/**
 * @param rows Discrete values.
 * @param tensor Empty message to write to.
 */
void
StackDiscrete(const Rows& rows, wire::Tensor& tensor)
{
    tensor.set_dtype(wire::DTYPE_INT64);
    tensor.add_shape(rows.size());
    auto& data = *tensor.mutable_data();
    data.reserve(rows.size() * sizeof(int64_t));
    for (const auto* row : rows)
    {
        const int64_t value = static_cast<const OpenGymDiscreteContainer*>(row)->GetValue();
        data.append(reinterpret_cast<const char*>(&value), sizeof(value));
    }
}

/**
 * @param rows Texts.
 * @param message Empty message to write to.
 */
void
StackTexts(const Rows& rows, wire::TextStack& message)
{
    for (const auto* row : rows)
    {
        message.add_texts(static_cast<const OpenGymTextContainer*>(row)->GetValue());
    }
}

/**
 * @param rows Tuples.
 * @param message Empty message to write to.
 */
void
StackTuples(const Rows& rows, wire::TupleContainer& message)
{
    const auto& first = static_cast<const OpenGymTupleContainer&>(*rows.front());
    for (uint32_t i = 0; i < first.GetSize(); ++i)
    {
        const auto element = [i](const OpenGymTupleContainer& tuple) { return tuple.Get(i); };
        EncodeStack(GetParts<OpenGymTupleContainer>(rows, element), *message.add_elements());
    }
}

/**
 * @param rows Dicts.
 * @param message Empty message to write to.
 */
void
StackDicts(const Rows& rows, wire::DictContainer& message)
{
    for (const auto& [key, value] :
         static_cast<const OpenGymDictContainer&>(*rows.front()).GetEntries())
    {
        const auto find = [&key = key](const OpenGymDictContainer& dict) { return dict.Get(key); };
        auto& entry = *message.add_entries();
        entry.set_key(key);
        EncodeStack(GetParts<OpenGymDictContainer>(rows, find), *entry.mutable_value());
    }
}

/**
 * @param one A tuple.
 * @param other Another tuple.
 * @return whether they can be rows of one stack
 */
bool
CanStackTuples(const OpenGymTupleContainer& one, const OpenGymTupleContainer& other)
{
    bool can = one.GetSize() == other.GetSize();
    for (uint32_t i = 0; can && i < one.GetSize(); ++i)
    {
        can = CanStack(*one.Get(i), *other.Get(i));
    }
    return can;
}

/**
 * @param one A dict.
 * @param other Another dict.
 * @return whether they can be rows of one stack
 */
bool
CanStackDicts(const OpenGymDictContainer& one, const OpenGymDictContainer& other)
{
    return std::equal(one.GetEntries().begin(),
                      one.GetEntries().end(),
                      other.GetEntries().begin(),
                      other.GetEntries().end(),
                      [](const auto& a, const auto& b) {
                          return a.first == b.first && CanStack(*a.second, *b.second);
                      });
}

} // namespace

bool
CanStack(const OpenGymDataContainer& one, const OpenGymDataContainer& other)
{
    if (one.GetInstanceTypeId() != other.GetInstanceTypeId())
    {
        return false;
    }
    bool can = true;
    VisitIf<OpenGymTensorContainer>(
        one,
        [&](const auto& tensor) {
            const auto& second = static_cast<const OpenGymTensorContainer&>(other);
            can = tensor.GetShape() == second.GetShape() && second.IsComplete();
        }) ||
        VisitIf<OpenGymTupleContainer>(
            one,
            [&](const auto& tuple) {
                can = CanStackTuples(tuple, static_cast<const OpenGymTupleContainer&>(other));
            }) ||
        VisitIf<OpenGymDictContainer>(one, [&](const auto& dict) {
            can = CanStackDicts(dict, static_cast<const OpenGymDictContainer&>(other));
        });
    return can;
}

void
EncodeStack(const Rows& rows, wire::DataContainer& message)
{
    const auto& first = *rows.front();
    const bool known =
        VisitIf<OpenGymBoxContainerBase>(
            first,
            [&](const auto&) { StackTensors(rows, *message.mutable_box()); }) ||
        VisitIf<OpenGymDiscreteContainer>(
            first,
            [&](const auto&) { StackDiscrete(rows, *message.mutable_discrete_stack()); }) ||
        VisitIf<OpenGymMultiDiscreteContainer>(
            first,
            [&](const auto&) { StackTensors(rows, *message.mutable_multi_discrete()); }) ||
        VisitIf<OpenGymMultiBinaryContainer>(
            first,
            [&](const auto&) { StackTensors(rows, *message.mutable_multi_binary()); }) ||
        VisitIf<OpenGymTextContainer>(
            first,
            [&](const auto&) { StackTexts(rows, *message.mutable_text_stack()); }) ||
        VisitIf<OpenGymTupleContainer>(
            first,
            [&](const auto&) { StackTuples(rows, *message.mutable_tuple()); }) ||
        VisitIf<OpenGymDictContainer>(first, [&](const auto&) {
            StackDicts(rows, *message.mutable_dict());
        });
    NS_ABORT_MSG_IF(!known,
                    "The protocol has no container for " << first.GetInstanceTypeId().GetName());
}

} // namespace ns3
