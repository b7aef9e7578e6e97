// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"
#include "tensor-codec.h"

#include "ns3/opengym-builders.h"

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/** Containers decoded from a stack, one for each row; none: the stack is malformed. */
using Decoded = std::vector<Ptr<OpenGymDataContainer>>;

/**
 * @tparam Container Class of the rows.
 * @tparam T Element type of the rows.
 * @param tensor Any message.
 * @param rows Number of rows.
 * @return the rows
 */
template <typename Container, typename T>
Decoded
UnstackTensors(const wire::Tensor& tensor, std::size_t rows)
{
    if (tensor.shape_size() == 0 || tensor.shape(0) != rows)
    {
        return {};
    }
    const auto shape = DecodeShape(tensor.shape().begin() + 1, tensor.shape().end());
    const auto count = shape ? GetElementCount(*shape) : std::nullopt;
    if (!count || *count > tensor.data().size() || !IsTensorOf<T>(tensor, rows * *count))
    {
        return {};
    }
    Decoded decoded;
    decoded.reserve(rows);
    for (const char* bytes = tensor.data().data(); decoded.size() < rows;
         bytes += *count * sizeof(T))
    {
        decoded.push_back(MakeTensor<Container, T>(*shape, bytes, *count));
        if (!decoded.back())
        {
            return {};
        }
    }
    return decoded;
}

/**
 * @param tensor Any message.
 * @param rows Number of rows.
 * @return the rows
 */
Decoded
UnstackDiscrete(const wire::Tensor& tensor, std::size_t rows)
{
    if (tensor.shape_size() != 1 || tensor.shape(0) != rows || !IsTensorOf<int64_t>(tensor, rows))
    {
        return {};
    }
    Decoded decoded;
    decoded.reserve(rows);
    for (std::size_t i = 0; i < rows; ++i)
    {
        int64_t value = 0;
        std::memcpy(&value, tensor.data().data() + i * sizeof(value), sizeof(value));
        decoded.push_back(MakeDiscreteContainer(value));
    }
    return decoded;
}

/**
 * @param message Any message.
 * @param rows Number of rows.
 * @return the rows
 */
Decoded
UnstackTexts(const wire::TextStack& message, std::size_t rows)
{
    Decoded decoded;
    for (const auto& value : message.texts())
    {
        auto text = MakeEmptyContainer<OpenGymTextContainer>();
        if (!text->SetValue(value))
        {
            return {};
        }
        decoded.push_back(text);
    }
    return decoded.size() == rows ? decoded : Decoded{};
}

/**
 * @param message Any message.
 * @param rows Number of rows.
 * @return the rows
 */
Decoded
UnstackTuples(const wire::TupleContainer& message, std::size_t rows)
{
    Decoded decoded;
    for (std::size_t i = 0; i < rows; ++i)
    {
        decoded.push_back(MakeEmptyContainer<OpenGymTupleContainer>());
    }
    for (const auto& element : message.elements())
    {
        const auto parts = DecodeStack(element, rows);
        for (std::size_t i = 0; i < rows; ++i)
        {
            if (parts.empty() || !StaticCast<OpenGymTupleContainer>(decoded[i])->Add(parts[i]))
            {
                return {};
            }
        }
    }
    return decoded;
}

/**
 * @param message Any message.
 * @param rows Number of rows.
 * @return the rows
 */
Decoded
UnstackDicts(const wire::DictContainer& message, std::size_t rows)
{
    Decoded decoded;
    for (std::size_t i = 0; i < rows; ++i)
    {
        decoded.push_back(MakeEmptyContainer<OpenGymDictContainer>());
    }
    const std::string* previous = nullptr;
    for (const auto& entry : message.entries())
    {
        const bool ascends = !previous || *previous < entry.key();
        const auto parts = ascends ? DecodeStack(entry.value(), rows) : Decoded{};
        for (std::size_t i = 0; i < rows; ++i)
        {
            if (parts.empty() ||
                !StaticCast<OpenGymDictContainer>(decoded[i])->Add(entry.key(), parts[i]))
            {
                return {};
            }
        }
        previous = &entry.key();
    }
    return decoded;
}

} // namespace

std::vector<Ptr<OpenGymDataContainer>>
DecodeStack(const wire::DataContainer& message, std::size_t rows)
{
    switch (message.kind_case())
    {
    case wire::DataContainer::kBox:
        return VisitBox(message.box(), [&](auto type) {
            using T = typename decltype(type)::type;
            return UnstackTensors<OpenGymBoxContainer<T>, T>(message.box(), rows);
        });
    case wire::DataContainer::kDiscreteStack:
        return UnstackDiscrete(message.discrete_stack(), rows);
    case wire::DataContainer::kMultiDiscrete:
        return UnstackTensors<OpenGymMultiDiscreteContainer, int64_t>(message.multi_discrete(),
                                                                      rows);
    case wire::DataContainer::kMultiBinary:
        return UnstackTensors<OpenGymMultiBinaryContainer, int8_t>(message.multi_binary(), rows);
    case wire::DataContainer::kTextStack:
        return UnstackTexts(message.text_stack(), rows);
    case wire::DataContainer::kTuple:
        return UnstackTuples(message.tuple(), rows);
    case wire::DataContainer::kDict:
        return UnstackDicts(message.dict(), rows);
    default:
        return {};
    }
}

} // namespace ns3
