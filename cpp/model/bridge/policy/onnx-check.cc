// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-check.h"

#include "onnx-network.h"
#include "onnx-operators.h"

#include <algorithm>
#include <array>
#include <string>

namespace ns3
{

namespace
{

constexpr std::size_t MOST_AXES = 16;                 //!< Most axes of a tensor
constexpr int64_t MOST_COMPUTED = int64_t{1} << 24;   //!< Most numbers that a decision computes
constexpr int64_t MOST_MULTIPLIED = int64_t{1} << 31; //!< Most multiplications of a decision
constexpr int64_t COST_OF_NUMBER = 16; //!< Multiplications in the time to read or write a number

/** Operators that may get an empty list first: exporters make lists of axes and lengths. */
constexpr std::array<std::string_view, 4> LISTING{"Cast", "Concat", "ConstantOfShape", "Identity"};

/**
 * @param tensor A tensor.
 * @return whether it has no elements
 */
bool
IsEmpty(const KnownTensor& tensor)
{
    return std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
}

/**
 * @brief The walk through a network in the order of its nodes.
 */
class NetworkWalk
{
  public:
    /**
     * @param network The network.
     */
    explicit NetworkWalk(const OnnxNetwork& network)
    {
        for (const auto& [name, tensor] : network.constants)
        {
            Define(name, tensor);
        }
        for (auto [name, tensor] : network.inputs)
        {
            if (!network.constants.contains(name))
            {
                FixBatch(name, tensor);
                Define(name, tensor);
                Count(tensor);
            }
        }
        for (const auto& node : network.nodes)
        {
            Call(node);
        }
    }

  private:
    /**
     * @param name Name of an input.
     * @param tensor The input, whose first axis becomes 1 if it is not fixed.
     */
    static void FixBatch(std::string_view name, KnownTensor& tensor)
    {
        if (!tensor.shape.empty() && tensor.shape.front() == -1)
        {
            tensor.shape.front() = 1;
        }
        for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
        {
            if (tensor.shape[axis] < 1)
            {
                throw PolicyFault("axis " + std::to_string(axis) + " of '" + std::string(name) +
                                  "' has no fixed length");
            }
        }
    }

    /**
     * @param name Name of a tensor.
     * @param tensor The tensor.
     */
    void Define(std::string_view name, KnownTensor tensor)
    {
        GetItemSize(tensor.type); // refuses texts
        const auto axes = tensor.shape.size();
        if (axes > MOST_AXES || (axes > 1 && IsEmpty(tensor)))
        {
            throw PolicyFault("'" + std::string(name) + "' has " + std::to_string(axes) +
                              " axes, or an axis of length 0");
        }
        if (!m_tensors.emplace(name, std::move(tensor)).second)
        {
            throw PolicyFault("it defines '" + std::string(name) + "' twice");
        }
    }

    /**
     * @param node A node.
     */
    void Call(const OnnxNode& node)
    {
        const auto rule = FindOperator(node.operation);
        if (!rule)
        {
            throw PolicyFault("'" + std::string(node.operation) +
                              "' is not an operator of policy files (docs/training/export.md)");
        }
        std::vector<const KnownTensor*> inputs;
        for (const auto name : node.inputs)
        {
            const auto found = m_tensors.find(name);
            if (!name.empty() && found == m_tensors.end())
            {
                throw PolicyFault("it uses '" + std::string(name) + "' before it is computed");
            }
            inputs.push_back(name.empty() ? nullptr : &found->second);
            if (inputs.back())
            {
                Touch(*inputs.back());
            }
        }
        OperatorCall call(node, std::move(inputs));
        const bool isListing =
            std::find(LISTING.begin(), LISTING.end(), node.operation) != LISTING.end();
        if (call.Has(0) && IsEmpty(call.In(0)) && !isListing)
        {
            call.Refuse("has an empty input");
        }
        rule(call);
        if (node.outputs.size() > call.outputs.size())
        {
            call.Refuse("has more outputs than policy files may have");
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
        {
            Count(call.outputs[i]);
            Touch(call.outputs[i]);
            if (!node.outputs[i].empty())
            {
                Define(node.outputs[i], call.outputs[i]);
            }
        }
        Charge(m_computed, call.reserved, MOST_COMPUTED, "computes", "numbers");
        Charge(m_multiplied, call.multiplications, MOST_MULTIPLIED, "makes", "multiplications");
    }

    /**
     * @param tensor A computed tensor.
     */
    void Count(const KnownTensor& tensor)
    {
        Charge(m_computed, CountElements(tensor.shape), MOST_COMPUTED, "computes", "numbers");
    }

    /**
     * @param tensor A tensor that is read or written.
     */
    void Touch(const KnownTensor& tensor)
    {
        const auto cost = CountElements({COST_OF_NUMBER, CountElements(tensor.shape)});
        Charge(m_multiplied, cost, MOST_MULTIPLIED, "needs the time of", "multiplications");
    }

    /**
     * @param sum The sum so far.
     * @param amount Addition to the sum.
     * @param most Limit of the sum.
     * @param does Verb of the message.
     * @param what Object of the message.
     */
    static void Charge(int64_t& sum,
                       int64_t amount,
                       int64_t most,
                       const char* does,
                       const char* what)
    {
        if (amount > most - sum)
        {
            throw PolicyFault(std::string("a decision ") + does + " more than " +
                              std::to_string(most) + " " + what);
        }
        sum += amount;
    }

    std::map<std::string_view, KnownTensor> m_tensors; //!< All tensors so far by name
    int64_t m_computed{0};                             //!< Computed numbers
    int64_t m_multiplied{0};                           //!< Multiplications
};

} // namespace

void
CheckOnnxModel(std::string_view model)
{
    const auto network = ReadOnnxNetwork(model);
    NetworkWalk{network};
}

} // namespace ns3
