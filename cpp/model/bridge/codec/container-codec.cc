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

/**
 * @tparam Container Class of the array.
 * @tparam T Element type of the array.
 * @param tensor Any message.
 * @return the array, or null when type, shape and number of bytes do not fit
 */
template <typename Container, typename T>
Ptr<OpenGymDataContainer>
DecodeTensor(const wire::Tensor& tensor)
{
    const auto shape = DecodeShape(tensor.shape().begin(), tensor.shape().end());
    const auto count = shape ? GetElementCount(*shape) : std::nullopt;
    if (!count || !IsTensorOf<T>(tensor, *count))
    {
        return nullptr;
    }
    return MakeTensor<Container, T>(*shape, tensor.data().data(), *count);
}

/**
 * @param tensor Any message.
 * @return the box, or null when type, shape and number of bytes do not fit
 */
Ptr<OpenGymDataContainer>
DecodeBox(const wire::Tensor& tensor)
{
    return VisitBox(tensor, [&tensor](auto type) {
        using T = typename decltype(type)::type;
        return DecodeTensor<OpenGymBoxContainer<T>, T>(tensor);
    });
}

/**
 * @param message Any message.
 * @return the tuple, or null when an element is malformed
 */
Ptr<OpenGymDataContainer>
DecodeTuple(const wire::TupleContainer& message)
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    for (const auto& element : message.elements())
    {
        if (!tuple->Add(DecodeContainer(element)))
        {
            return nullptr;
        }
    }
    return tuple;
}

/**
 * @param message Any message.
 * @return the dict, or null when an entry is malformed or the keys do not ascend
 */
Ptr<OpenGymDataContainer>
DecodeDict(const wire::DictContainer& message)
{
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    const std::string* previous = nullptr;
    for (const auto& entry : message.entries())
    {
        const bool ascends = !previous || *previous < entry.key();
        if (!ascends || !dict->Add(entry.key(), DecodeContainer(entry.value())))
        {
            return nullptr;
        }
        previous = &entry.key();
    }
    return dict;
}

/**
 * @param tuple A tuple.
 * @param message Empty message to write to.
 */
void
EncodeTuple(const OpenGymTupleContainer& tuple, wire::TupleContainer& message)
{
    for (uint32_t i = 0; i < tuple.GetSize(); ++i)
    {
        EncodeContainer(*tuple.Get(i), *message.add_elements());
    }
}

/**
 * @param dict A dict.
 * @param message Empty message to write to.
 */
void
EncodeDict(const OpenGymDictContainer& dict, wire::DictContainer& message)
{
    for (const auto& [key, value] : dict.GetEntries())
    {
        auto& entry = *message.add_entries();
        entry.set_key(key);
        EncodeContainer(*value, *entry.mutable_value());
    }
}

} // namespace

void
CheckComplete(const OpenGymTensorContainer& container)
{
    NS_ABORT_MSG_IF(!container.IsComplete(),
                    "A container of type " << container.GetInstanceTypeId().GetName() << " holds "
                                           << container.GetSize()
                                           << " elements, fewer than its shape has");
}

void
CheckKnown(const OpenGymDataContainer& container, bool known)
{
    NS_ABORT_MSG_IF(!known,
                    "The protocol has no container for "
                        << container.GetInstanceTypeId().GetName());
}

void
EncodeTensor(const OpenGymTensorContainer& container, wire::Tensor& tensor)
{
    CheckComplete(container);
    tensor.set_dtype(static_cast<wire::DType>(container.GetDtype()));
    tensor.mutable_shape()->Assign(container.GetShape().begin(), container.GetShape().end());
    tensor.set_data(container.GetRawData(), container.GetRawSize());
}

void
EncodeContainer(const OpenGymDataContainer& container, wire::DataContainer& message)
{
    const bool known =
        VisitIf<OpenGymDictContainer>(
            container,
            [&](const auto& dict) { EncodeDict(dict, *message.mutable_dict()); }) ||
        VisitIf<OpenGymDiscreteContainer>(
            container,
            [&](const auto& discrete) { message.set_discrete(discrete.GetValue()); }) ||
        VisitIf<OpenGymMultiDiscreteContainer>(
            container,
            [&](const auto& multi) { EncodeTensor(multi, *message.mutable_multi_discrete()); }) ||
        VisitIf<OpenGymMultiBinaryContainer>(
            container,
            [&](const auto& binary) { EncodeTensor(binary, *message.mutable_multi_binary()); }) ||
        VisitIf<OpenGymTextContainer>(
            container,
            [&](const auto& text) { message.set_text(text.GetValue()); }) ||
        VisitIf<OpenGymTupleContainer>(
            container,
            [&](const auto& tuple) { EncodeTuple(tuple, *message.mutable_tuple()); }) ||
        VisitIf<OpenGymBoxContainerBase>(container, [&](const auto& box) {
            EncodeTensor(box, *message.mutable_box());
        });
    CheckKnown(container, known);
}

Ptr<OpenGymDataContainer>
DecodeContainer(const wire::DataContainer& message)
{
    switch (message.kind_case())
    {
    case wire::DataContainer::kBox:
        return DecodeBox(message.box());
    case wire::DataContainer::kDiscrete:
        return MakeDiscreteContainer(message.discrete());
    case wire::DataContainer::kMultiDiscrete:
        return DecodeTensor<OpenGymMultiDiscreteContainer, int64_t>(message.multi_discrete());
    case wire::DataContainer::kMultiBinary:
        return DecodeTensor<OpenGymMultiBinaryContainer, int8_t>(message.multi_binary());
    case wire::DataContainer::kText: {
        auto text = MakeEmptyContainer<OpenGymTextContainer>();
        return text->SetValue(message.text()) ? text : nullptr;
    }
    case wire::DataContainer::kTuple:
        return DecodeTuple(message.tuple());
    case wire::DataContainer::kDict:
        return DecodeDict(message.dict());
    default: // no value, or a stack
        return nullptr;
    }
}

} // namespace ns3
