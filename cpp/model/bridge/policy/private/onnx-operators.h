// SPDX-License-Identifier: GPL-2.0-only

#ifndef ONNX_OPERATORS_H
#define ONNX_OPERATORS_H

#include "onnx-network.h"

#include <string>

namespace ns3
{

/**
 * @brief A node whose inputs are known: the operators' rules derive its outputs.
 *
 * All functions throw PolicyFault if the call has not what they look for.
 */
struct OperatorCall
{
    using Shape = std::vector<int64_t>;  //!< Lengths of axes
    using Values = std::optional<Shape>; //!< Elements, if they are known

    const OnnxNode& node;                   //!< The node
    std::vector<const KnownTensor*> inputs; //!< Its inputs; null: left out
    std::vector<KnownTensor> outputs{};     //!< Outputs so far
    int64_t multiplications{0}; //!< Besides the reading of inputs and writing of outputs

    /**
     * @param i Number of an input.
     * @return whether the node has it
     */
    bool Has(std::size_t i) const
    {
        return i < inputs.size() && inputs[i];
    }

    /**
     * @param i Number of an input.
     * @return the input
     */
    const KnownTensor& In(std::size_t i = 0) const;

    /**
     * @param name Name of an attribute.
     * @return the attribute, or null
     */
    const OnnxAttribute* Find(std::string_view name) const;

    /**
     * @param name Name of an attribute.
     * @param otherwise Value if it is missing.
     * @return the value of the attribute, which is an integer
     */
    int64_t Integer(std::string_view name, int64_t otherwise) const;

    /**
     * @param name Name of an attribute.
     * @param input Number of the input that has the values in newer operators, if there is one.
     * @return the constant values of the attribute or the input, or null if both are missing
     */
    const Shape* Listed(std::string_view name, std::size_t input = SIZE_MAX) const;

    /**
     * @param values Values from the file; null: missing.
     * @param least Least value.
     * @return the values, which are from the least value to 2^31
     */
    Shape Within(const Shape* values, int64_t least) const;

    /**
     * @param axis Number of an axis, also from the end.
     * @param rank Number of axes.
     * @return the number of the axis from the beginning
     */
    std::size_t Axis(int64_t axis, std::size_t rank) const;

    /**
     * @param axes Numbers of axes, each once.
     * @param rank Number of all axes.
     * @return for each axis, whether it is in the list
     */
    std::vector<bool> Mark(const Shape& axes, std::size_t rank) const;

    /**
     * @param left A shape.
     * @param right Another shape.
     * @return the shape of both after broadcasting
     */
    Shape Broadcast(const Shape& left, const Shape& right) const;

    /**
     * Add an output, or after the outputs memory that the operator needs for itself.
     *
     * @param shape Lengths of the axes.
     * @param type Element type; 0: that of the first input.
     * @param values Values of the elements, if known.
     */
    void Add(Shape shape, int64_t type = 0, Values values = std::nullopt);

    /**
     * @param what The fault, as the end of a sentence.
     */
    [[noreturn]] void Refuse(const std::string& what) const
    {
        throw PolicyFault("its operator '" + std::string(node.operation) + "' " + what);
    }
};

/**
 * @param factors Numbers from 0 on.
 * @return the product, in which 0 counts as 1; at most 2^61
 */
int64_t CountElements(const std::vector<int64_t>& factors);

namespace rules
{

// Rules of layers and reductions.

/** MatMul and Gemm. */
void Multiply(OperatorCall& call);

/** Conv, and MaxPool and AveragePool, which have no weights. */
void Convolve(OperatorCall& call);

/** Reduce operators, ArgMax and ArgMin. */
void Reduce(OperatorCall& call);

/** GlobalMaxPool and GlobalAveragePool. */
void PoolAll(OperatorCall& call);

/** LSTM, GRU and RNN. */
void Recur(OperatorCall& call);

} // namespace rules

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
