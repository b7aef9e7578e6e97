// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_NETWORK_H
#define ONNX_NETWORK_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief An unusable policy file; the message has the reason and the remedy.
 */
class PolicyFault : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/** Codes of ONNX for element types. */
enum OnnxType : int64_t
{
    ONNX_FLOAT = 1,
    ONNX_INT32 = 6,
    ONNX_INT64 = 7,
    ONNX_BOOL = 9,
    ONNX_FLOAT16 = 10,
    ONNX_DOUBLE = 11,
    ONNX_BFLOAT16 = 16,
};

/** The largest size of a policy file, in bytes. */
constexpr std::size_t MOST_POLICY_BYTES = std::size_t{1} << 27;

/** Longest list of values that is known before a network runs; shapes are shorter. */
constexpr std::size_t MOST_KNOWN_VALUES = 64;

/** @brief The known properties of a tensor before its network runs. */
struct KnownTensor
{
    int64_t type{0};                            //!< Code of the element type
    std::vector<int64_t> shape;                 //!< Lengths of the axes; -1: not fixed
    std::optional<std::vector<int64_t>> values; //!< Elements, if they are few integers and known
};

/** @brief An attribute of a node: a text, or numbers as a tensor with at most one axis. */
struct OnnxAttribute
{
    std::string_view text;             //!< Value of a text
    std::optional<KnownTensor> tensor; //!< Value of a tensor, a number or a list of numbers
};

/** @brief A node of a network: a call of an operator. */
struct OnnxNode
{
    std::string_view operation;                           //!< Name of the operator
    std::vector<std::string_view> inputs;                 //!< Names; empty: left out
    std::vector<std::string_view> outputs;                //!< Names; empty: left out
    std::map<std::string_view, OnnxAttribute> attributes; //!< Attributes by name
};

/** A tensor with its name. */
using NamedTensor = std::pair<std::string_view, KnownTensor>;

/** @brief A network as its file describes it; texts are views of the file's content. */
struct OnnxNetwork
{
    std::vector<OnnxNode> nodes;                           //!< Nodes, in the order of the file
    std::vector<NamedTensor> constants;                    //!< Initializers
    std::vector<NamedTensor> inputs;                       //!< Inputs
    std::vector<NamedTensor> outputs;                      //!< Outputs
    std::map<std::string_view, std::string_view> metadata; //!< Texts beside the network, by key
};

/**
 * @param type Code of an element type.
 * @return bytes of an element; throw PolicyFault for other types
 */
std::size_t GetItemSize(int64_t type);

/**
 * Read the content of an ONNX file without allocating more memory than a multiple of its size.
 * Throw PolicyFault when it is damaged, has parts that policy files may not have, or exceeds a
 * limit.
 *
 * @param model Content of the file, which the result refers to.
 * @return the network
 */
OnnxNetwork ReadOnnxNetwork(std::string_view model);

/**
 * Throw PolicyFault unless ONNX Runtime can load the content of a file, and decide with it, in a
 * few seconds and within 1 GB: all operators are known, all sizes are fixed, and their sums have
 * limits. The simulation and Python call this function before the runtime reads a file.
 *
 * The sizes hold for a batch of one.
 *
 * @param model Content of the file, which the result refers to.
 * @return the network
 */
OnnxNetwork CheckOnnxModel(std::string_view model);

} // namespace ns3

#endif /* ONNX_NETWORK_H */
