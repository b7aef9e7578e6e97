// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-network.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>

namespace ns3
{

namespace
{

const char* const NO_MODEL = "it is not an ONNX file";

/** @brief The rest of a file's limits. */
struct Budget
{
    std::size_t parts{200'000};    //!< Fields of all messages
    std::size_t nodes{5'000};      //!< Nodes
    std::size_t listed{1'000'000}; //!< Numbers in lists, raw data apart

    /** Take an amount from what is left of a limit, which has a name in messages. */
    static void Take(std::size_t& left, std::size_t count, const char* what)
    {
        if (count > left)
        {
            throw PolicyFault(std::string("it has too many ") + what);
        }
        left -= count;
    }
};

/** @return the integer at the beginning of a message, from which it is removed */
uint64_t
TakeVarint(std::string_view& from)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7)
    {
        const auto byte = static_cast<unsigned char>(from.front());
        from.remove_prefix(1);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80)
        {
            return value;
        }
    }
    throw PolicyFault(NO_MODEL);
}

/** @brief The value of a field in a protobuf message. */
struct WireField
{
    static constexpr unsigned VARINT = 0;  //!< Code of integers
    static constexpr unsigned FIXED64 = 1; //!< Code of numbers of 8 bytes
    static constexpr unsigned BYTES = 2;   //!< Code of texts, messages and lists
    static constexpr unsigned FIXED32 = 5; //!< Code of numbers of 4 bytes

    Budget& budget;           //!< The file's limits
    unsigned wire;            //!< Encoding
    int64_t integer{0};       //!< Value of an integer
    std::string_view bytes{}; //!< Other values

    /** Refuse the file unless the field has the expected encoding. */
    void Require(unsigned expected) const
    {
        if (wire != expected)
        {
            throw PolicyFault(NO_MODEL);
        }
    }

    /** @return the integer of the field */
    int64_t Integer() const
    {
        Require(VARINT);
        return integer;
    }

    /** @return the text, message or list of the field */
    std::string_view Bytes() const
    {
        Require(BYTES);
        return bytes;
    }

    /** Append the integers of the field. */
    void AppendIntegers(std::vector<int64_t>& integers) const
    {
        auto list = wire == VARINT ? std::string_view() : Bytes();
        for (bool isSingle = wire == VARINT; isSingle || !list.empty(); isSingle = false)
        {
            Budget::Take(budget.listed, 1, "numbers in lists");
            integers.push_back(isSingle ? integer : static_cast<int64_t>(TakeVarint(list)));
        }
    }

    /** @return bytes of a number of fixed size */
    std::size_t FixedSize() const
    {
        Require(wire == FIXED32 ? FIXED32 : FIXED64);
        return wire == FIXED32 ? sizeof(float) : sizeof(double);
    }

    /** @return how many numbers of a fixed size in bytes the field has */
    std::size_t CountFixed(std::size_t size) const
    {
        const auto count = (wire == BYTES || size == FixedSize() ? bytes.size() : 0) / size;
        Budget::Take(budget.listed, count, "numbers in lists");
        return count;
    }
};

using FieldReader = std::function<void(const WireField&)>;

/** @brief A field that a kind of message may have. */
struct KnownField
{
    unsigned number;  //!< Number
    bool isRepeated;  //!< Whether it may occur more than once
    FieldReader read; //!< Takes its value
};

constexpr bool ONCE = false; //!< For KnownField
constexpr bool EACH = true;  //!< For KnownField

/** @return a reader that throws PolicyFault for a field with some content */
FieldReader
RefuseField(const char* what)
{
    return [what](const WireField&) {
        throw PolicyFault(std::string("it has ") + what + ", which policy files may not have");
    };
}

/**
 * Read a protobuf message. ONNX Runtime's parser merges repeated messages and skips unknown fields;
 * both are refused here, so that it cannot read anything else than this reader.
 *
 * @param message The message.
 * @param fields All fields that the message may have, but for
 * @param ignored the fields that have no effect.
 * @return a bit for the number of each field that the message has
 */
uint64_t
ReadMessage(const WireField& message,
            std::initializer_list<KnownField> fields,
            std::initializer_list<unsigned> ignored = {})
{
    uint64_t seen = 0;
    for (auto rest = message.Bytes(); !rest.empty();)
    {
        Budget::Take(message.budget.parts, 1, "parts");
        const auto tag = TakeVarint(rest);
        const auto number = tag >> 3;
        WireField field{message.budget, static_cast<unsigned>(tag & 7)};
        if (field.wire == WireField::VARINT)
        {
            field.integer = static_cast<int64_t>(TakeVarint(rest));
        }
        else
        {
            const auto size = field.wire == WireField::BYTES ? TakeVarint(rest) : field.FixedSize();
            field.bytes = rest.substr(0, size);
            if (field.bytes.size() != size)
            {
                throw PolicyFault(NO_MODEL);
            }
            rest.remove_prefix(size);
        }
        const auto known = std::find_if(fields.begin(), fields.end(), [number](const auto& each) {
            return each.number == number;
        });
        const bool isKnown = known != fields.end();
        if (!isKnown && std::find(ignored.begin(), ignored.end(), number) == ignored.end())
        {
            RefuseField("a part that this version does not know")(field);
        }
        const auto bit = uint64_t{1} << number;
        if (isKnown && !known->isRepeated && (seen & bit))
        {
            throw PolicyFault("it repeats a field, which only a damaged ONNX file does");
        }
        seen |= bit;
        if (isKnown)
        {
            known->read(field);
        }
    }
    return seen;
}

/**
 * Take the elements of a constant, if they are few integers.
 *
 * @param tensor Type and shape; set to the values.
 * @param raw Elements as bytes, if the file has them.
 * @param integers Elements as integers.
 * @param reals Number of further elements.
 */
void
SetValues(KnownTensor& tensor,
          std::optional<std::string_view> raw,
          std::vector<int64_t> integers,
          std::size_t reals)
{
    std::size_t count = 1;
    for (const auto length : tensor.shape)
    {
        if (length < 0 || static_cast<uint64_t>(length) > MOST_POLICY_BYTES ||
            count * std::max<std::size_t>(length, 1) > MOST_POLICY_BYTES)
        {
            throw PolicyFault("it has a constant with an axis of length " + std::to_string(length));
        }
        count *= length;
    }
    const auto size = GetItemSize(tensor.type);
    reals += integers.size();
    if (raw ? raw->size() != count * size || reals != 0 : reals != count)
    {
        throw PolicyFault("it has a constant whose size differs from its data");
    }
    const bool isInteger = tensor.type == ONNX_INT64 || tensor.type == ONNX_INT32;
    if (!isInteger || count > MOST_KNOWN_VALUES)
    {
        return;
    }
    static_assert(std::endian::native == std::endian::little);
    for (std::size_t i = 0; raw && i < count; ++i)
    {
        int64_t value = 0;
        std::memcpy(&value, raw->data() + i * size, size);
        integers.push_back(size == sizeof(int32_t) ? static_cast<int32_t>(value) : value);
    }
    tensor.values = std::move(integers);
}

/** @return the tensor of a TensorProto, with its name */
NamedTensor
ReadTensor(const WireField& message)
{
    std::string_view name;
    KnownTensor tensor;
    std::optional<std::string_view> raw;
    std::vector<int64_t> integers;
    std::size_t reals = 0;
    const auto external = RefuseField("external data instead of weights in the file");
    const auto whole = [&](const WireField& in) { in.AppendIntegers(integers); };
    const std::initializer_list<KnownField> fields{
        {1, EACH, [&](const WireField& in) { in.AppendIntegers(tensor.shape); }},
        {2, ONCE, [&](const WireField& in) { tensor.type = in.Integer(); }},
        {4, EACH, [&](const WireField& in) { reals += in.CountFixed(sizeof(float)); }},
        {5, EACH, whole}, // int32_data
        {6, EACH, RefuseField("texts")},
        {7, EACH, whole}, // int64_data
        {8, ONCE, [&](const WireField& in) { name = in.Bytes(); }},
        {9, ONCE, [&](const WireField& in) { raw = in.Bytes(); }},
        {10, EACH, [&](const WireField& in) { reals += in.CountFixed(sizeof(double)); }},
        {11, EACH, whole}, // uint64_data
        {13, EACH, external},
        {14, ONCE, [&](const WireField& in) { in.Integer() == 0 ? void() : external(in); }},
    };
    ReadMessage(message, fields, {12, 16});
    SetValues(tensor, raw, std::move(integers), reals);
    return {name, std::move(tensor)};
}

/** @return the attribute of an AttributeProto, with its name */
std::pair<std::string_view, OnnxAttribute>
ReadAttribute(const WireField& message)
{
    std::string_view name;
    OnnxAttribute attribute;
    auto& tensor = attribute.tensor;
    int64_t kind = 0;
    std::vector<int64_t> integers;
    std::size_t reals = 0;
    const std::initializer_list<KnownField> fields{
        {1, ONCE, [&](const WireField& in) { name = in.Bytes(); }},
        {3, ONCE, [&](const WireField& in) { integers.push_back(in.Integer()); }},
        {4, ONCE, [&](const WireField& in) { attribute.text = in.Bytes(); }},
        {5, ONCE, [&](const WireField& in) { tensor = ReadTensor(in).second; }},
        {6, ONCE, RefuseField("a subgraph")},
        {7, EACH, [&](const WireField& in) { reals += in.CountFixed(sizeof(float)); }},
        {8, EACH, [&](const WireField& in) { in.AppendIntegers(integers); }},
        {11, EACH, RefuseField("a subgraph")},
        {20, ONCE, [&](const WireField& in) { kind = in.Integer(); }},
        {22, ONCE, RefuseField("sparse tensors")},
        {23, EACH, RefuseField("sparse tensors")},
    };
    // Codes of types are one less than the fields of their values. Zeros and empty texts and lists
    // may have no field.
    const auto values = ReadMessage(message, fields, {2, 9, 13}) & 0x3fc;
    const bool isKnown = kind > 0 && kind < 9 && kind != 5;
    if (!isKnown || (values ? values != uint64_t{2} << kind : kind == 4))
    {
        throw PolicyFault("its attribute '" + std::string(name) + "' has a value of another type");
    }
    const bool isNumber = kind < 3;
    const bool isReal = kind == 1 || kind == 6;
    if (isNumber || kind == 6 || kind == 7)
    {
        const auto count = static_cast<int64_t>(integers.size() + reals);
        integers.resize(isNumber ? 1 : integers.size());
        tensor = {isReal ? ONNX_FLOAT : ONNX_INT64, std::vector(isNumber ? 0 : 1, count), {}};
        tensor->values = isReal ? std::nullopt : std::optional(std::move(integers));
    }
    return {name, std::move(attribute)};
}

/** @return the node of a NodeProto */
OnnxNode
ReadNode(const WireField& message)
{
    Budget::Take(message.budget.nodes, 1, "nodes: at most 5000 are allowed");
    OnnxNode node;
    std::string_view domain;
    const auto addAttribute = [&node](const WireField& in) {
        const auto [added, isNew] = node.attributes.insert(ReadAttribute(in));
        if (!isNew)
        {
            throw PolicyFault("it repeats the attribute '" + std::string(added->first) + "'");
        }
    };
    const std::initializer_list<KnownField> fields{
        {1, EACH, [&](const WireField& in) { node.inputs.push_back(in.Bytes()); }},
        {2, EACH, [&](const WireField& in) { node.outputs.push_back(in.Bytes()); }},
        {4, ONCE, [&](const WireField& in) { node.operation = in.Bytes(); }},
        {5, EACH, addAttribute},
        {7, ONCE, [&](const WireField& in) { domain = in.Bytes(); }},
    };
    ReadMessage(message, fields, {3, 6, 9});
    if (!domain.empty() && domain != "ai.onnx")
    {
        throw PolicyFault("it uses an operator of '" + std::string(domain) +
                          "', but only operators of ONNX itself are allowed");
    }
    return node;
}

/** @return the tensor that a ValueInfoProto declares, with its name */
NamedTensor
ReadDeclaration(const WireField& message)
{
    std::string_view name;
    KnownTensor tensor;
    const auto addAxis = [&](const WireField& in) { // a length or a name
        auto& length = tensor.shape.emplace_back(-1);
        ReadMessage(in,
                    {{1, ONCE, [&](const WireField& value) { length = value.Integer(); }}},
                    {2, 3});
    };
    const KnownField shape{2, ONCE, [&](const WireField& in) {
                               ReadMessage(in, {{1, EACH, addAxis}});
                           }};
    const KnownField type{1, ONCE, [&](const WireField& in) { tensor.type = in.Integer(); }};
    const auto readType = [&](const WireField& in) {
        const auto refuse = RefuseField("a value that is not a tensor");
        const auto readTensor = [&](const WireField& each) { ReadMessage(each, {type, shape}); };
        ReadMessage(
            in,
            {{1, ONCE, readTensor}, {4, ONCE, refuse}, {5, ONCE, refuse}, {9, ONCE, refuse}},
            {6});
    };
    const auto readName = [&](const WireField& in) { name = in.Bytes(); };
    ReadMessage(message, {{1, ONCE, readName}, {2, ONCE, readType}}, {3, 4});
    return {name, std::move(tensor)};
}

/** @return the network of a GraphProto */
OnnxNetwork
ReadGraph(const WireField& message)
{
    OnnxNetwork network;
    const std::initializer_list<KnownField> fields{
        {1, EACH, [&](const WireField& in) { network.nodes.push_back(ReadNode(in)); }},
        {5, EACH, [&](const WireField& in) { network.constants.push_back(ReadTensor(in)); }},
        {11, EACH, [&](const WireField& in) { network.inputs.push_back(ReadDeclaration(in)); }},
        {12, EACH, [&](const WireField& in) { network.outputs.push_back(ReadDeclaration(in)); }},
        {13, EACH, ReadDeclaration}, // value_info
        {14, EACH, RefuseField("quantized tensors")},
        {15, EACH, RefuseField("sparse tensors")},
    };
    ReadMessage(message, fields, {2, 10, 16});
    return network;
}

} // namespace

std::size_t
GetItemSize(int64_t type)
{
    constexpr std::size_t SIZES[]{0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2};
    if (type < 0 || type >= static_cast<int64_t>(std::size(SIZES)) || SIZES[type] == 0)
    {
        throw PolicyFault("it has a tensor of type " + std::to_string(type) +
                          " of ONNX, but only numbers of 8 to 64 bits are allowed");
    }
    return SIZES[type];
}

OnnxNetwork
ReadOnnxNetwork(std::string_view model)
{
    Budget budget;
    std::optional<OnnxNetwork> network;
    std::map<std::string_view, std::string_view> metadata;
    const auto addMetadata = [&metadata](const WireField& in) {
        std::string_view key;
        std::string_view value;
        ReadMessage(in,
                    {{1, ONCE, [&](const WireField& text) { key = text.Bytes(); }},
                     {2, ONCE, [&](const WireField& text) { value = text.Bytes(); }}});
        metadata.emplace(key, value);
    };
    const std::initializer_list<KnownField> fields{
        {7, ONCE, [&](const WireField& in) { network = ReadGraph(in); }},
        {14, EACH, addMetadata},
        {20, EACH, RefuseField("training steps")},
        {25, EACH, RefuseField("functions")},
    };
    ReadMessage({budget, WireField::BYTES, 0, model}, fields, {1, 2, 3, 4, 5, 6, 8});
    if (!network)
    {
        throw PolicyFault(NO_MODEL);
    }
    network->metadata = std::move(metadata);
    return std::move(*network);
}

} // namespace ns3
