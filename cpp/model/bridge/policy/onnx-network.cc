// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-network.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string>

namespace ns3
{

namespace
{

constexpr std::size_t MOST_PARTS = 200'000;    //!< Most fields of all messages of a file
constexpr std::size_t MOST_NODES = 5'000;      //!< Most nodes of a network
constexpr std::size_t MOST_LISTED = 1'000'000; //!< Most numbers in lists, raw data apart

const char* const NO_MODEL = "it is not an ONNX file";

/**
 * @brief The rest of a file's limits.
 */
struct Budget
{
    std::size_t parts{MOST_PARTS};   //!< Fields
    std::size_t nodes{MOST_NODES};   //!< Nodes
    std::size_t listed{MOST_LISTED}; //!< Numbers in lists

    /**
     * @param left A limit's rest.
     * @param count Amount to take from it.
     * @param what Name in messages.
     */
    static void Take(std::size_t& left, std::size_t count, const char* what)
    {
        if (count > left)
        {
            throw PolicyFault(std::string("it has too many ") + what);
        }
        left -= count;
    }
};

/**
 * @brief The fields of a protobuf message, one after the other.
 *
 * ONNX Runtime's parser merges repeated messages and skips unknown fields; both are refused here,
 * so that it cannot read anything else than this reader.
 */
class WireMessage
{
  public:
    /**
     * @param bytes Content of the message.
     * @param budget The file's limits.
     */
    WireMessage(std::string_view bytes, Budget& budget)
        : m_rest(bytes),
          m_budget(budget)
    {
    }

    /**
     * @return the number of the next field; 0: the message ends
     */
    uint32_t Next()
    {
        if (m_rest.empty())
        {
            return 0;
        }
        Budget::Take(m_budget.parts, 1, "parts");
        const auto tag = TakeVarint(m_rest);
        m_wire = tag & 7;
        m_field = tag >> 3;
        if (tag >> 3 == 0 || tag > std::numeric_limits<uint32_t>::max())
        {
            throw PolicyFault(NO_MODEL);
        }
        return m_field;
    }

    /** @return the integer of a field that occurs once */
    int64_t Integer()
    {
        RequireFirst();
        Require(VARINT);
        return static_cast<int64_t>(TakeVarint(m_rest));
    }

    /** @return the bytes of a field that occurs once */
    std::string_view Once()
    {
        RequireFirst();
        return Each();
    }

    /** @return the bytes of a field that may be repeated */
    std::string_view Each()
    {
        Require(BYTES);
        return Take(TakeVarint(m_rest));
    }

    /**
     * @param integers Appended with the integers of a field.
     */
    void AppendIntegers(std::vector<int64_t>& integers)
    {
        auto list = m_wire == BYTES ? Each() : std::string_view();
        const bool isSingle = m_wire == VARINT;
        auto& from = isSingle ? m_rest : list;
        Require(isSingle ? VARINT : BYTES);
        do
        {
            if (from.empty())
            {
                return;
            }
            Budget::Take(m_budget.listed, 1, "numbers in lists");
            integers.push_back(static_cast<int64_t>(TakeVarint(from)));
        } while (!isSingle);
    }

    /**
     * @param size Bytes of a number.
     * @return how many numbers of a fixed size the field has
     */
    std::size_t CountFixed(std::size_t size)
    {
        const auto list = m_wire == BYTES ? Each() : Take(size);
        Require(m_wire == BYTES ? BYTES : (size == 4 ? FIXED32 : FIXED64));
        const auto count = list.size() / size;
        Budget::Take(m_budget.listed, count, "numbers in lists");
        return count;
    }

    /**
     * Throw PolicyFault for the field.
     *
     * @param what Name of the field's content.
     */
    [[noreturn]] void Refuse(const char* what) const
    {
        throw PolicyFault(std::string("it has ") + what + ", which policy files may not have");
    }

    /** @return the file's limits */
    Budget& GetBudget()
    {
        return m_budget;
    }

  private:
    static constexpr unsigned VARINT = 0;  //!< Code of integers
    static constexpr unsigned FIXED64 = 1; //!< Code of numbers of 8 bytes
    static constexpr unsigned BYTES = 2;   //!< Code of texts, messages and lists
    static constexpr unsigned FIXED32 = 5; //!< Code of numbers of 4 bytes

    /**
     * @param from Bytes, of which the integer is removed.
     * @return the integer at their beginning
     */
    static uint64_t TakeVarint(std::string_view& from)
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

    /**
     * @param size Number of bytes.
     * @return the next bytes
     */
    std::string_view Take(uint64_t size)
    {
        if (size > m_rest.size())
        {
            throw PolicyFault(NO_MODEL);
        }
        const auto bytes = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return bytes;
    }

    /**
     * @param wire Expected encoding of the field.
     */
    void Require(unsigned wire) const
    {
        if (m_wire != wire)
        {
            throw PolicyFault(NO_MODEL);
        }
    }

    /** Throw PolicyFault when the field occurs again. */
    void RequireFirst()
    {
        const auto bit = uint64_t{1} << (m_field & 63);
        if (m_seen & bit)
        {
            throw PolicyFault("it repeats a field, which only a damaged ONNX file does");
        }
        m_seen |= bit;
    }

    std::string_view m_rest; //!< Bytes that have not been read
    Budget& m_budget;        //!< The file's limits
    uint64_t m_seen{0};      //!< A bit for each field that occurs once
    uint32_t m_field{0};     //!< Number of the field
    unsigned m_wire{0};      //!< Encoding of the field
};

const char* const UNKNOWN = "a part that this version does not know";        //!< For Refuse()
const char* const EXTERNAL = "external data instead of weights in the file"; //!< For Refuse()

/**
 * @brief The elements of a tensor in a file.
 */
struct Elements
{
    std::optional<std::string_view> raw; //!< Elements as bytes
    std::vector<int64_t> integers;       //!< Elements as integers
    std::size_t count{0};                //!< Number of elements that are not in raw
};

/**
 * Take the elements of a constant, if they are few integers.
 *
 * @param elements Elements in the file.
 * @param tensor Type and shape; set to the values.
 */
void
ReadValues(const Elements& elements, KnownTensor& tensor)
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
    const bool fits = elements.raw ? elements.raw->size() == count * size && elements.count == 0
                                   : elements.count == count;
    if (!fits)
    {
        throw PolicyFault("it has a constant whose size differs from its data");
    }
    const bool isInteger = tensor.type == ONNX_INT64 || tensor.type == ONNX_INT32;
    if (!isInteger || count > MOST_KNOWN_VALUES)
    {
        return;
    }
    tensor.values = elements.integers;
    for (std::size_t i = 0; elements.raw && i < count; ++i)
    {
        static_assert(std::endian::native == std::endian::little);
        int64_t value = 0;
        std::memcpy(&value, elements.raw->data() + i * size, size);
        tensor.values->push_back(size == sizeof(int32_t) ? static_cast<int32_t>(value) : value);
    }
}

/**
 * @param bytes A TensorProto.
 * @param budget The file's limits.
 * @param name Set to the tensor's name, if it is not null.
 * @return the tensor
 */
KnownTensor
ReadTensor(std::string_view bytes, Budget& budget, std::string_view* name = nullptr)
{
    KnownTensor tensor;
    Elements elements;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        switch (field)
        {
        case 1: // dims
            in.AppendIntegers(tensor.shape);
            break;
        case 2: // data_type
            tensor.type = in.Integer();
            break;
        case 4: // float_data
            elements.count += in.CountFixed(sizeof(float));
            break;
        case 10: // double_data
            elements.count += in.CountFixed(sizeof(double));
            break;
        case 5:  // int32_data
        case 7:  // int64_data
        case 11: // uint64_data
            in.AppendIntegers(elements.integers);
            break;
        case 6: // string_data
            in.Refuse("texts");
        case 8: { // name
            const auto found = in.Once();
            if (name)
            {
                *name = found;
            }
            break;
        }
        case 9: // raw_data
            elements.raw = in.Once();
            break;
        case 12: // doc_string
            in.Once();
            break;
        case 16: // metadata_props
            in.Each();
            break;
        case 13: // external_data
            in.Refuse(EXTERNAL);
        case 14: // data_location
            if (in.Integer() != 0)
            {
                in.Refuse(EXTERNAL);
            }
            break;
        default:
            in.Refuse(UNKNOWN);
        }
    }
    elements.count += elements.integers.size();
    ReadValues(elements, tensor);
    return tensor;
}

/**
 * @param bytes An AttributeProto.
 * @param budget The file's limits.
 * @param name Set to the attribute's name.
 * @return the attribute
 */
OnnxAttribute
ReadAttribute(std::string_view bytes, Budget& budget, std::string_view& name)
{
    // Codes of the attribute's types by the fields of their values.
    constexpr int64_t KINDS[]{0, 0, 1, 2, 3, 4, 0, 6, 7, 8};
    OnnxAttribute attribute;
    int64_t kind = 0;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        if (field < std::size(KINDS) && KINDS[field])
        {
            if (kind && kind != KINDS[field])
            {
                in.Refuse("an attribute with two values");
            }
            kind = KINDS[field];
        }
        switch (field)
        {
        case 1: // name
            name = in.Once();
            break;
        case 2: // f
            in.CountFixed(sizeof(float));
            break;
        case 3: // i
            attribute.integer = in.Integer();
            break;
        case 4: // s
            attribute.text = in.Once();
            break;
        case 5: // t
            attribute.tensor = ReadTensor(in.Once(), budget);
            break;
        case 7: // floats
            attribute.reals += in.CountFixed(sizeof(float));
            break;
        case 8: // ints
            in.AppendIntegers(attribute.integers);
            break;
        case 9: // strings
            in.Each();
            break;
        case 13: // doc_string
            in.Once();
            break;
        case 20: // type
            attribute.kind = in.Integer();
            break;
        case 6:  // g
        case 11: // graphs
            in.Refuse("a subgraph");
        case 22: // sparse_tensor
        case 23: // sparse_tensors
            in.Refuse("sparse tensors");
        default:
            in.Refuse(UNKNOWN);
        }
    }
    // An empty list or text has no field.
    const bool mayBeEmpty = attribute.kind == 3 || (attribute.kind >= 6 && attribute.kind <= 8);
    if (attribute.kind != kind && !(kind == 0 && (mayBeEmpty || attribute.kind <= 2)))
    {
        throw PolicyFault("its attribute '" + std::string(name) + "' has a value of another type");
    }
    return attribute;
}

/**
 * @param bytes A NodeProto.
 * @param budget The file's limits.
 * @return the node
 */
OnnxNode
ReadNode(std::string_view bytes, Budget& budget)
{
    Budget::Take(budget.nodes, 1, "nodes: at most 5000 are allowed");
    OnnxNode node;
    std::string_view domain;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        switch (field)
        {
        case 1: // input
            node.inputs.push_back(in.Each());
            break;
        case 2: // output
            node.outputs.push_back(in.Each());
            break;
        case 3: // name
        case 6: // doc_string
            in.Once();
            break;
        case 4: // op_type
            node.operation = in.Once();
            break;
        case 5: { // attribute
            std::string_view name;
            auto attribute = ReadAttribute(in.Each(), budget, name);
            if (!node.attributes.emplace(name, std::move(attribute)).second)
            {
                throw PolicyFault("it repeats the attribute '" + std::string(name) + "'");
            }
            break;
        }
        case 7: // domain
            domain = in.Once();
            break;
        case 9: // metadata_props
            in.Each();
            break;
        default:
            in.Refuse(UNKNOWN);
        }
    }
    if (!domain.empty() && domain != "ai.onnx")
    {
        throw PolicyFault("it uses an operator of '" + std::string(domain) +
                          "', but only operators of ONNX itself are allowed");
    }
    return node;
}

/**
 * @param bytes A TensorShapeProto.
 * @param budget The file's limits.
 * @return the lengths of its axes; -1: not fixed
 */
std::vector<int64_t>
ReadShape(std::string_view bytes, Budget& budget)
{
    std::vector<int64_t> shape;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        if (field != 1) // dim
        {
            in.Refuse(UNKNOWN);
        }
        shape.push_back(-1);
        WireMessage axis(in.Each(), budget);
        while (const auto part = axis.Next())
        {
            if (part == 1) // dim_value
            {
                shape.back() = axis.Integer();
            }
            else
            {
                axis.Once(); // dim_param, denotation
            }
        }
    }
    return shape;
}

/**
 * @param bytes A ValueInfoProto.
 * @param budget The file's limits.
 * @param name Set to the value's name.
 * @return the tensor's type and shape
 */
KnownTensor
ReadDeclaration(std::string_view bytes, Budget& budget, std::string_view& name)
{
    KnownTensor tensor;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        if (field == 1) // name
        {
            name = in.Once();
            continue;
        }
        if (field != 2) // doc_string, metadata_props
        {
            in.Each();
            continue;
        }
        WireMessage type(in.Once(), budget);
        while (const auto part = type.Next())
        {
            if (part == 6) // denotation
            {
                type.Once();
                continue;
            }
            if (part != 1) // tensor_type
            {
                type.Refuse("a value that is not a tensor");
            }
            WireMessage described(type.Once(), budget);
            while (const auto detail = described.Next())
            {
                if (detail == 1) // elem_type
                {
                    tensor.type = described.Integer();
                }
                else if (detail == 2) // shape
                {
                    tensor.shape = ReadShape(described.Once(), budget);
                }
                else
                {
                    described.Refuse(UNKNOWN);
                }
            }
        }
    }
    return tensor;
}

/**
 * @param bytes A GraphProto.
 * @param budget The file's limits.
 * @return the network
 */
OnnxNetwork
ReadGraph(std::string_view bytes, Budget& budget)
{
    OnnxNetwork network;
    WireMessage in(bytes, budget);
    while (const auto field = in.Next())
    {
        std::string_view name;
        switch (field)
        {
        case 1: // node
            network.nodes.push_back(ReadNode(in.Each(), budget));
            break;
        case 2:  // name
        case 10: // doc_string
            in.Once();
            break;
        case 5: { // initializer
            auto constant = ReadTensor(in.Each(), budget, &name);
            if (!network.constants.emplace(name, std::move(constant)).second)
            {
                throw PolicyFault("it defines '" + std::string(name) + "' twice");
            }
            break;
        }
        case 11: { // input
            auto tensor = ReadDeclaration(in.Each(), budget, name);
            network.inputs.emplace(name, std::move(tensor));
            break;
        }
        case 12: // output
        case 13: // value_info
            ReadDeclaration(in.Each(), budget, name);
            break;
        case 14: // quantization_annotation
            in.Refuse("quantized tensors");
        case 15: // sparse_initializer
            in.Refuse("sparse tensors");
        case 16: // metadata_props
            in.Each();
            break;
        default:
            in.Refuse(UNKNOWN);
        }
    }
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
    WireMessage in(model, budget);
    while (const auto field = in.Next())
    {
        switch (field)
        {
        case 1: // ir_version
        case 5: // model_version
            in.Integer();
            break;
        case 2: // producer_name
        case 3: // producer_version
        case 4: // domain
        case 6: // doc_string
            in.Once();
            break;
        case 7: // graph
            network = ReadGraph(in.Once(), budget);
            break;
        case 8:  // opset_import
        case 14: // metadata_props
            in.Each();
            break;
        case 20: // training_info
            in.Refuse("training steps");
        case 25: // functions
            in.Refuse("functions");
        default:
            in.Refuse(UNKNOWN);
        }
    }
    if (!network)
    {
        throw PolicyFault(NO_MODEL);
    }
    return std::move(*network);
}

} // namespace ns3
