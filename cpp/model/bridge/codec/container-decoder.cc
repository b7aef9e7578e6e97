// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-serialization.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/** Places for containers that are read: one, or all rows of a stack. */
using Places = std::span<Ptr<OpenGymDataContainer>>;

/**
 * @tparam T Element type.
 * @param tensor Any message.
 * @param count Number of elements.
 * @return whether the message holds this number of elements of this type
 */
template <typename T>
bool
IsTensorOf(const wire::Tensor& tensor, std::size_t count)
{
    return static_cast<int>(tensor.dtype()) == static_cast<int>(OpenGymDtypeOf<T>()) &&
           tensor.data().size() / sizeof(T) == count && tensor.data().size() % sizeof(T) == 0;
}

/**
 * @param begin First length of an axis, in a message.
 * @param end End of the lengths.
 * @return the shape, or nothing when an axis is too long
 */
template <typename Iterator>
std::optional<std::vector<uint32_t>>
DecodeShape(Iterator begin, Iterator end)
{
    const auto fits = [](auto length) { return length <= std::numeric_limits<uint32_t>::max(); };
    return std::all_of(begin, end, fits) ? std::optional(std::vector<uint32_t>(begin, end))
                                         : std::nullopt;
}

/**
 * @tparam Container Class of the arrays.
 * @tparam T Element type of the arrays.
 * @param tensor Any message.
 * @param isStack Whether to expect a stack.
 * @param rows Places for the arrays.
 * @return whether the message holds such arrays
 */
template <typename Container, typename T>
bool
DecodeTensors(const wire::Tensor& tensor, bool isStack, Places rows)
{
    const int outer = isStack ? 1 : 0;
    if (outer > tensor.shape_size() || (outer == 1 && tensor.shape(0) != rows.size()))
    {
        return false;
    }
    const auto shape = DecodeShape(tensor.shape().begin() + outer, tensor.shape().end());
    const auto count = shape ? GetElementCount(*shape) : std::nullopt;
    // The first comparison bounds the product.
    if (!count || *count > tensor.data().size() || !IsTensorOf<T>(tensor, rows.size() * *count))
    {
        return false;
    }
    const char* bytes = tensor.data().data();
    for (auto& row : rows)
    {
        std::vector<T> data(*count);
        if (*count > 0)
        {
            std::memcpy(data.data(), bytes, *count * sizeof(T));
        }
        bytes += *count * sizeof(T);
        auto array = MakeEmptyContainer<Container>();
        if (!array->Assign(*shape, std::move(data)))
        {
            return false;
        }
        row = array;
    }
    return true;
}

/**
 * @param tensor Any message.
 * @param isStack Whether to expect a stack.
 * @param rows Places for the boxes.
 * @return whether the message holds such boxes
 */
bool
DecodeBoxes(const wire::Tensor& tensor, bool isStack, Places rows)
{
    if (tensor.dtype() == wire::DTYPE_UNSPECIFIED || !wire::DType_IsValid(tensor.dtype()))
    {
        return false;
    }
    return VisitDtype(static_cast<OpenGymDtype>(tensor.dtype()), [&](auto type) {
        using T = typename decltype(type)::type;
        return DecodeTensors<OpenGymBoxContainer<T>, T>(tensor, isStack, rows);
    });
}

/**
 * @param tensor Any message.
 * @param rows Places for the discrete values of a stack.
 * @return whether the message holds such values
 */
bool
DecodeDiscreteStack(const wire::Tensor& tensor, Places rows)
{
    if (tensor.shape_size() != 1 || tensor.shape(0) != rows.size() ||
        !IsTensorOf<int64_t>(tensor, rows.size()))
    {
        return false;
    }
    const char* bytes = tensor.data().data();
    for (auto& row : rows)
    {
        int64_t value = 0;
        std::memcpy(&value, bytes, sizeof(value));
        bytes += sizeof(value);
        row = MakeDiscreteContainer(value);
    }
    return true;
}

/**
 * @tparam Texts List of texts.
 * @param texts Any texts.
 * @param rows Places for the containers, as many as there are texts.
 * @return whether the texts are UTF-8
 */
template <typename Texts>
bool
DecodeTexts(const Texts& texts, Places rows)
{
    return std::equal(rows.begin(), rows.end(), texts.begin(), texts.end(), [](auto& row, auto& t) {
        auto text = MakeEmptyContainer<OpenGymTextContainer>();
        row = text;
        return text->SetValue(t);
    });
}

bool DecodeRows(const wire::DataContainer& message, bool isStack, Places rows);

/**
 * @param message Any message.
 * @param isStack Whether to expect a stack.
 * @param rows Places for the tuples.
 * @return whether the message holds such tuples
 */
bool
DecodeTuples(const wire::TupleContainer& message, bool isStack, Places rows)
{
    std::generate(rows.begin(), rows.end(), MakeEmptyContainer<OpenGymTupleContainer>);
    std::vector<Ptr<OpenGymDataContainer>> parts(rows.size());
    for (const auto& element : message.elements())
    {
        if (!DecodeRows(element, isStack, parts))
        {
            return false;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            static_cast<OpenGymTupleContainer&>(*rows[i]).Add(parts[i]);
        }
    }
    return true;
}

/**
 * @param message Any message.
 * @param isStack Whether to expect a stack.
 * @param rows Places for the dicts.
 * @return whether the message holds such dicts, and their keys ascend
 */
bool
DecodeDicts(const wire::DictContainer& message, bool isStack, Places rows)
{
    std::generate(rows.begin(), rows.end(), MakeEmptyContainer<OpenGymDictContainer>);
    std::vector<Ptr<OpenGymDataContainer>> parts(rows.size());
    const std::string* previous = nullptr;
    for (const auto& entry : message.entries())
    {
        const bool ascends = !previous || *previous < entry.key();
        if (!ascends || !DecodeRows(entry.value(), isStack, parts))
        {
            return false;
        }
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            if (!static_cast<OpenGymDictContainer&>(*rows[i]).Add(entry.key(), parts[i]))
            {
                return false;
            }
        }
        previous = &entry.key();
    }
    return true;
}

/**
 * Read containers of one structure.
 *
 * @param message Any message.
 * @param isStack Whether to expect a stack.
 * @param rows Places for the containers.
 * @return whether the message follows the rules of the protocol
 */
bool
DecodeRows(const wire::DataContainer& message, bool isStack, Places rows)
{
    switch (message.kind_case())
    {
    case wire::DataContainer::kBox:
        return DecodeBoxes(message.box(), isStack, rows);
    case wire::DataContainer::kMultiDiscrete:
        return DecodeTensors<OpenGymMultiDiscreteContainer, int64_t>(message.multi_discrete(),
                                                                     isStack,
                                                                     rows);
    case wire::DataContainer::kMultiBinary:
        return DecodeTensors<OpenGymMultiBinaryContainer, int8_t>(message.multi_binary(),
                                                                  isStack,
                                                                  rows);
    case wire::DataContainer::kDiscrete:
        if (!isStack)
        {
            rows.front() = MakeDiscreteContainer(message.discrete());
        }
        return !isStack;
    case wire::DataContainer::kDiscreteStack:
        return isStack && DecodeDiscreteStack(message.discrete_stack(), rows);
    case wire::DataContainer::kText:
        return !isStack && DecodeTexts(std::span(&message.text(), 1), rows);
    case wire::DataContainer::kTextStack:
        return isStack && DecodeTexts(message.text_stack().texts(), rows);
    case wire::DataContainer::kTuple:
        return DecodeTuples(message.tuple(), isStack, rows);
    case wire::DataContainer::kDict:
        return DecodeDicts(message.dict(), isStack, rows);
    default: // no value
        return false;
    }
}

} // namespace

Ptr<OpenGymDataContainer>
DecodeContainer(const wire::DataContainer& message)
{
    Ptr<OpenGymDataContainer> container;
    return DecodeRows(message, false, Places(&container, 1)) ? container : nullptr;
}

std::vector<Ptr<OpenGymDataContainer>>
DecodeStack(const wire::DataContainer& message, std::size_t rows)
{
    std::vector<Ptr<OpenGymDataContainer>> containers(rows);
    if (!DecodeRows(message, true, containers))
    {
        containers.clear();
    }
    return containers;
}

Ptr<OpenGymDataContainer>
DeserializeContainer(const std::string& bytes)
{
    wire::DataContainer message;
    return message.ParseFromString(bytes) ? DecodeContainer(message) : nullptr;
}

} // namespace ns3
