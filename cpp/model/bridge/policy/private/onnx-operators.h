// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H

#include "onnx-network.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ns3
{

/**
 * @brief A node whose inputs are known: the operators' rules derive its outputs.
 *
 * All functions throw PolicyFault if the call has not what they look for.
 */
class OperatorCall
{
  public:
    /**
     * @param node The node.
     * @param inputs Its inputs; null: left out.
     */
    OperatorCall(const OnnxNode& node, std::vector<const KnownTensor*> inputs);

    /**
     * @param i Number of an input.
     * @return whether the node has it
     */
    bool Has(std::size_t i) const;

    /**
     * @param i Number of an input.
     * @return the input
     */
    const KnownTensor& In(std::size_t i = 0) const;

    /**
     * @param i Number of an input.
     * @return the values of the input, which are constant
     */
    const std::vector<int64_t>& Values(std::size_t i) const;

    /**
     * @param name Name of an attribute.
     * @param otherwise Value if it is missing.
     * @return the value of the attribute, which is an integer
     */
    int64_t Integer(std::string_view name, int64_t otherwise) const;

    /**
     * @param name Name of an attribute.
     * @return the list, or null if it is missing
     */
    const std::vector<int64_t>* Integers(std::string_view name) const;

    /**
     * @param name Name of an attribute.
     * @param input Number of the input that has the values in newer operators.
     * @return the values of the attribute or the input, or null if both are missing
     */
    const std::vector<int64_t>* Listed(std::string_view name, std::size_t input) const;

    /**
     * @param name Name of an attribute.
     * @return the attribute, or null
     */
    const OnnxAttribute* Find(std::string_view name) const;

    /**
     * @param axis Number of an axis, also from the end.
     * @param rank Number of axes.
     * @return the number of the axis from the beginning
     */
    std::size_t Axis(int64_t axis, std::size_t rank) const;

    /**
     * Set an output.
     *
     * @param shape Lengths of the axes.
     * @param type Element type; 0: that of the first input.
     * @param values Values of the elements, if known.
     */
    void Add(std::vector<int64_t> shape,
             int64_t type = 0,
             std::optional<std::vector<int64_t>> values = std::nullopt);

    /**
     * Note multiplications besides the reading and writing of inputs and outputs.
     *
     * @param factors Number of multiplications, as factors.
     */
    void Multiply(std::initializer_list<int64_t> factors);

    /**
     * Note elements of memory that the operator needs for itself.
     *
     * @param factors Number of elements, as factors.
     */
    void Reserve(std::initializer_list<int64_t> factors);

    /**
     * @param what The fault, as the end of a sentence.
     */
    [[noreturn]] void Refuse(const std::string& what) const;

    const OnnxNode& node;             //!< The node
    std::vector<KnownTensor> outputs; //!< Outputs so far
    int64_t multiplications{0};       //!< Multiplications so far
    int64_t reserved{0};              //!< Elements that the operator needs for itself

  private:
    std::vector<const KnownTensor*> m_inputs; //!< Inputs; null: left out
};

/**
 * @param factors Numbers from 0 on.
 * @return the product, in which 0 counts as 1; at most 2^62
 */
int64_t CountElements(const std::vector<int64_t>& factors);

/** Derives the outputs of a call. */
using OperatorRule = void (*)(OperatorCall& call);

/**
 * @param name Name of an operator of ONNX.
 * @return its rule; null: policy files may not have it
 */
OperatorRule FindOperator(std::string_view name);

/**
 * @return the names of all operators of policy files, in alphabetical order
 */
std::vector<std::string_view> GetOperatorNames();

} // namespace ns3

#endif /* ONNX_OPERATORS_H */
