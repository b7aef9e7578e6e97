// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-operators.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t MOST_AXES = 16;  //!< Most axes of a tensor
constexpr int64_t COST_OF_NUMBER = 16; //!< Multiplications in the time to read or write a number

/** Operators that may get an empty list first: exporters make lists of axes and lengths. */
constexpr std::string_view LISTING[]{"Cast", "Concat", "ConstantOfShape", "Identity"};

/** @return whether a tensor has no elements */
bool
IsEmpty(const KnownTensor& tensor)
{
    return std::count(tensor.shape.begin(), tensor.shape.end(), 0) > 0;
}

/** @brief The walk through a network in the order of its nodes. */
class NetworkWalk
{
  public:
    explicit NetworkWalk(const OnnxNetwork& network)
    {
        for (const auto& [name, tensor] : network.constants)
        {
            Define(name, tensor);
        }
        for (const auto& [name, declared] : network.inputs)
        {
            auto tensor = declared;
            if (!tensor.shape.empty() && tensor.shape.front() == -1)
            {
                tensor.shape.front() = 1; // the batch
            }
            if (std::any_of(tensor.shape.begin(), tensor.shape.end(), [](auto it) {
                    return it < 1;
                }))
            {
                throw PolicyFault("an axis of '" + std::string(name) + "' has no fixed length");
            }
            Define(name, tensor);
            Charge(0, CountElements(tensor.shape), 0);
        }
        for (const auto& node : network.nodes)
        {
            Call(node);
        }
    }

  private:
    /** Note a tensor that nodes may use. */
    void Define(std::string_view name, const KnownTensor& tensor)
    {
        GetItemSize(tensor.type); // refuses texts
        const auto axes = tensor.shape.size();
        if (axes > MOST_AXES || (axes > 1 && IsEmpty(tensor)))
        {
            throw PolicyFault("'" + std::string(name) + "' has " + std::to_string(axes) +
                              " axes, or an axis of length 0");
        }
        if (!m_tensors.emplace(name, tensor).second)
        {
            throw PolicyFault("it defines '" + std::string(name) + "' twice");
        }
    }

    /** Derive the outputs of a node. */
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
                Charge(CountElements(inputs.back()->shape), 0, 0);
            }
        }
        OperatorCall call{node, std::move(inputs)};
        const bool isListing =
            std::find(std::begin(LISTING), std::end(LISTING), node.operation) != std::end(LISTING);
        if (call.Has(0) && IsEmpty(call.In(0)) && !isListing)
        {
            call.Refuse("has an empty input");
        }
        rule(call);
        if (node.outputs.size() > call.outputs.size())
        {
            call.Refuse("has more outputs than policy files may have");
        }
        for (std::size_t i = 0; i < call.outputs.size(); ++i)
        {
            const auto count = CountElements(call.outputs[i].shape);
            Charge(count, count, 0);
            if (i < node.outputs.size() && !node.outputs[i].empty())
            {
                Define(node.outputs[i], call.outputs[i]);
            }
        }
        Charge(0, 0, call.multiplications);
    }

    /**
     * @param numbers Numbers that are read or written.
     * @param computed Numbers that take memory.
     * @param multiplied Multiplications.
     */
    void Charge(int64_t numbers, int64_t computed, int64_t multiplied)
    {
        numbers = CountElements({COST_OF_NUMBER, numbers});
        if (computed > m_computed || multiplied > m_multiplied ||
            numbers > m_multiplied - multiplied)
        {
            throw PolicyFault("a decision computes more than 2^24 numbers, or needs the time of "
                              "more than 2^31 multiplications");
        }
        m_computed -= computed;
        m_multiplied -= multiplied + numbers;
    }

    std::map<std::string_view, KnownTensor> m_tensors; //!< All tensors so far by name
    int64_t m_computed{int64_t{1} << 24};              //!< Rest of computed numbers
    int64_t m_multiplied{int64_t{1} << 31};            //!< Rest of multiplications
};

} // namespace

OnnxNetwork
CheckOnnxModel(std::string_view model)
{
    auto network = ReadOnnxNetwork(model);
    NetworkWalk{network};
    return network;
}

} // namespace ns3
