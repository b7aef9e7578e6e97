// SPDX-License-Identifier: GPL-2.0-only

#include "opengym-codec.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-serialization.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace ns3
{

namespace
{

namespace wire = defiance::v1;

/** Places for the rows of a stack that is read. */
using Places = std::span<Ptr<OpenGymDataContainer>>;
using Kind = wire::DataContainer::KindCase;

/**
 * @tparam Container Class of the array.
 * @tparam T Element type of the array.
 * @param dtype Element type in the message.
 * @param shape Shape of the array.
 * @param data Elements in the message.
 * @return the array, or null when its parts do not fit
 */
template <typename Container, typename T>
Ptr<OpenGymDataContainer>
MakeArrayOf(int dtype, const std::vector<uint32_t>& shape, std::string_view data)
{
    const auto count = GetElementCount(shape);
    // The first comparison bounds the product.
    if (dtype != static_cast<int>(OpenGymDtypeOf<T>()) || !count || *count > data.size() ||
        *count * sizeof(T) != data.size())
    {
        return nullptr;
    }
    std::vector<T> numbers(*count);
    if (*count > 0)
    {
        std::memcpy(numbers.data(), data.data(), data.size());
    }
    auto array = MakeEmptyContainer<Container>();
    return array->Assign(shape, std::move(numbers)) ? array : nullptr;
}

/**
 * @param kind Kind of a container.
 * @param dtype Element type in the message.
 * @param shape Shape of the array.
 * @param data Elements in the message.
 * @return the array, or null when its parts do not fit, or the kind has no arrays
 */
Ptr<OpenGymDataContainer>
MakeArray(Kind kind, int dtype, const std::vector<uint32_t>& shape, std::string_view data)
{
    if (kind == Kind::kMultiDiscrete)
    {
        return MakeArrayOf<OpenGymMultiDiscreteContainer, int64_t>(dtype, shape, data);
    }
    if (kind == Kind::kMultiBinary)
    {
        return MakeArrayOf<OpenGymMultiBinaryContainer, int8_t>(dtype, shape, data);
    }
    if (kind != Kind::kBox || dtype == wire::DTYPE_UNSPECIFIED || !wire::DType_IsValid(dtype))
    {
        return nullptr;
    }
    return VisitDtype(static_cast<OpenGymDtype>(dtype), [&](auto type) {
        using T = typename decltype(type)::type;
        return MakeArrayOf<OpenGymBoxContainer<T>, T>(dtype, shape, data);
    });
}

/**
 * @param kind Kind of the arrays.
 * @param tensor Any message.
 * @param rows Places for the arrays of a stack.
 * @return whether the message holds such arrays
 */
bool
DecodeTensors(Kind kind, const wire::Tensor& tensor, Places rows)
{
    const auto& lengths = tensor.shape();
    const auto fits = [](auto length) { return length <= std::numeric_limits<uint32_t>::max(); };
    if (lengths.empty() || lengths[0] != rows.size() || tensor.data().size() % rows.size() != 0 ||
        !std::all_of(lengths.begin(), lengths.end(), fits))
    {
        return false;
    }
    const std::vector<uint32_t> shape(lengths.begin() + 1, lengths.end());
    const auto size = tensor.data().size() / rows.size();
    const std::string_view data(tensor.data());
    for (std::size_t i = 0; i < rows.size(); ++i)
    {
        rows[i] = MakeArray(kind, tensor.dtype(), shape, data.substr(i * size, size));
    }
    return std::none_of(rows.begin(), rows.end(), [](const auto& row) { return !row; });
}

/**
 * @param tensor Any message.
 * @param rows Places for the discrete values of a stack.
 * @return whether the message holds such values
 */
bool
DecodeDiscreteStack(const wire::Tensor& tensor, Places rows)
{
    if (tensor.dtype() != wire::DTYPE_INT64 || tensor.shape_size() != 1 ||
        tensor.shape(0) != rows.size() || tensor.data().size() != rows.size() * sizeof(int64_t))
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

bool DecodeRows(const wire::DataContainer& message, Places rows);

/**
 * @param message Any message.
 * @param rows Places for the tuples.
 * @return whether the message holds such tuples
 */
bool
DecodeTuples(const wire::TupleContainer& message, Places rows)
{
    std::generate(rows.begin(), rows.end(), MakeEmptyContainer<OpenGymTupleContainer>);
    std::vector<Ptr<OpenGymDataContainer>> parts(rows.size());
    for (const auto& element : message.elements())
    {
        if (!DecodeRows(element, parts))
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
 * @param rows Places for the dicts.
 * @return whether the message holds such dicts, and their keys ascend
 */
bool
DecodeDicts(const wire::DictContainer& message, Places rows)
{
    std::generate(rows.begin(), rows.end(), MakeEmptyContainer<OpenGymDictContainer>);
    std::vector<Ptr<OpenGymDataContainer>> parts(rows.size());
    const std::string* previous = nullptr;
    for (const auto& entry : message.entries())
    {
        const bool ascends = !previous || *previous < entry.key();
        if (!ascends || !DecodeRows(entry.value(), parts))
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
 * @param rows Places for the containers.
 * @return whether the message follows the rules of the protocol
 */
bool
DecodeRows(const wire::DataContainer& message, Places rows)
{
    switch (message.kind_case())
    {
    case Kind::kBox:
        return DecodeTensors(Kind::kBox, message.box(), rows);
    case Kind::kMultiDiscrete:
        return DecodeTensors(Kind::kMultiDiscrete, message.multi_discrete(), rows);
    case Kind::kMultiBinary:
        return DecodeTensors(Kind::kMultiBinary, message.multi_binary(), rows);
    case Kind::kDiscreteStack:
        return DecodeDiscreteStack(message.discrete_stack(), rows);
    case Kind::kTextStack:
        return DecodeTexts(message.text_stack().texts(), rows);
    case Kind::kTuple:
        return DecodeTuples(message.tuple(), rows);
    case Kind::kDict:
        return DecodeDicts(message.dict(), rows);
    default: // no value, or no stack
        return false;
    }
}

/** Depth of the deepest container that is read. */
constexpr uint32_t DEEPEST = 50;

/**
 * Take a number from the front of a message.
 *
 * @param [in,out] bytes The rest of the message.
 * @return the number, or nothing when it is incomplete
 */
std::optional<uint64_t>
TakeNumber(std::string_view& bytes)
{
    uint64_t number = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 10; ++i)
    {
        const auto byte = static_cast<uint8_t>(bytes[i]);
        number |= uint64_t{byte & 0x7FU} << 7 * i;
        if (byte < 0x80)
        {
            bytes.remove_prefix(i + 1);
            return number;
        }
    }
    return std::nullopt;
}

/**
 * Take a field of bytes from the front of a message.
 *
 * @param field Number of the field, less than 16.
 * @param [in,out] bytes The rest of the message.
 * @return the content of the field, or nothing when another field or nothing is there
 */
std::optional<std::string_view>
TakeField(int field, std::string_view& bytes)
{
    auto rest = bytes.substr(std::min<std::size_t>(bytes.size(), 1));
    const bool isThere = !bytes.empty() && bytes.front() == (field << 3 | 2);
    const auto size = isThere ? TakeNumber(rest) : std::nullopt;
    if (!size || *size > rest.size())
    {
        return std::nullopt;
    }
    bytes = rest.substr(*size);
    return rest.substr(0, *size);
}

/**
 * @param kind Kind of the array.
 * @param bytes The content of a Tensor.
 * @return the array, or null
 */
Ptr<OpenGymDataContainer>
ReadArray(Kind kind, std::string_view bytes)
{
    if (bytes.empty() || bytes.front() != wire::Tensor::kDtypeFieldNumber << 3)
    {
        return nullptr;
    }
    bytes.remove_prefix(1);
    const auto dtype = TakeNumber(bytes);
    auto lengths = TakeField(wire::Tensor::kShapeFieldNumber, bytes).value_or("");
    const auto data = TakeField(wire::Tensor::kDataFieldNumber, bytes).value_or("");
    std::vector<uint32_t> shape;
    while (!lengths.empty())
    {
        const auto length = TakeNumber(lengths);
        if (!length || *length > std::numeric_limits<uint32_t>::max())
        {
            return nullptr;
        }
        shape.push_back(*length);
    }
    const bool isRead = dtype && *dtype <= wire::DType_MAX && bytes.empty();
    return isRead ? MakeArray(kind, static_cast<int>(*dtype), shape, data) : nullptr;
}

Ptr<OpenGymDataContainer> ReadContainer(std::string_view bytes, uint32_t depth);

/**
 * @param bytes The content of a DictContainer.
 * @param depth Depth of the dict.
 * @return the dict, or null
 */
Ptr<OpenGymDataContainer>
ReadDict(std::string_view bytes, uint32_t depth)
{
    using Entry = wire::DictContainer::Entry;
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    std::string_view previous;
    while (!bytes.empty())
    {
        auto entry = TakeField(wire::DictContainer::kEntriesFieldNumber, bytes).value_or("");
        const auto key = TakeField(Entry::kKeyFieldNumber, entry).value_or("");
        const auto value = TakeField(Entry::kValueFieldNumber, entry);
        const auto part = value ? ReadContainer(*value, depth + 1) : nullptr;
        const bool ascends = dict->GetSize() == 0 || previous < key;
        if (!part || !entry.empty() || !ascends || !dict->Add(std::string(key), part))
        {
            return nullptr;
        }
        previous = key;
    }
    return dict;
}

/**
 * Read the output of SerializeContainer() without protobuf, which takes twice the instructions.
 *
 * @param bytes Any bytes.
 * @param depth Number of containers around this one.
 * @return the container, or null
 */
Ptr<OpenGymDataContainer>
ReadContainer(std::string_view bytes, uint32_t depth)
{
    const auto tag = bytes.empty() || depth > DEEPEST ? 0 : static_cast<uint8_t>(bytes.front());
    const auto kind = static_cast<Kind>(tag >> 3);
    if (tag == Kind::kDiscrete << 3)
    {
        bytes.remove_prefix(1);
        const auto value = TakeNumber(bytes);
        return value && bytes.empty() ? MakeDiscreteContainer(static_cast<int64_t>(*value))
                                      : nullptr;
    }
    auto content = TakeField(kind, bytes);
    if (!content || !bytes.empty())
    {
        return nullptr;
    }
    if (kind == Kind::kDict)
    {
        return ReadDict(*content, depth);
    }
    if (kind == Kind::kText)
    {
        auto text = MakeEmptyContainer<OpenGymTextContainer>();
        return text->SetValue(std::string(*content)) ? text : nullptr;
    }
    if (kind != Kind::kTuple)
    {
        return ReadArray(kind, *content);
    }
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    while (!content->empty())
    {
        const auto element = TakeField(wire::TupleContainer::kElementsFieldNumber, *content);
        const auto part = element ? ReadContainer(*element, depth + 1) : nullptr;
        if (!part || !tuple->Add(part))
        {
            return nullptr;
        }
    }
    return tuple;
}

} // namespace

std::vector<Ptr<OpenGymDataContainer>>
DecodeStack(const wire::DataContainer& message, std::size_t rows)
{
    std::vector<Ptr<OpenGymDataContainer>> containers(rows);
    if (!DecodeRows(message, containers))
    {
        containers.clear();
    }
    return containers;
}

Ptr<OpenGymDataContainer>
DeserializeContainer(const std::string& bytes)
{
    return ReadContainer(bytes, 0);
}

} // namespace ns3
