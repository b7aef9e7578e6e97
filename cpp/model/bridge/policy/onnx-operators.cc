// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-operators.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <sstream>

namespace ns3
{

namespace rules
{

namespace
{

using Shape = OperatorCall::Shape;
using Values = OperatorCall::Values;

constexpr int64_t FROM_END = -(int64_t{1} << 31); //!< Least number that counts from the end

/** Operators whose result has the shape of the first input, and its type unless there is a TYPE. */
template <int64_t TYPE = 0>
void
Keep(OperatorCall& call)
{
    call.Add(call.In().shape, TYPE);
}

/** Cast, CastLike and Identity. */
void
Cast(OperatorCall& call)
{
    const bool isSame = call.node.operation == "Identity";
    const auto type = isSame        ? call.In().type
                      : call.Has(1) ? call.In(1).type
                                    : call.Integer("to", 0);
    call.Add(call.In().shape, type, isSame || type == ONNX_INT64 ? call.In().values : Values());
}

/** @return an elementwise call's results if they are constant integers: exporters compute shapes */
Values
Fold(const OperatorCall& call, std::size_t count)
{
    constexpr auto MOST = -FROM_END; // products of larger integers may overflow
    static const std::map<std::string_view, int64_t (*)(int64_t, int64_t, int64_t)> OPERATIONS{
        {"Add", [](int64_t a, int64_t b, int64_t) { return a + b; }},
        {"Div", [](int64_t a, int64_t b, int64_t) { return a / b; }},
        {"Equal", [](int64_t a, int64_t b, int64_t) { return int64_t{a == b}; }},
        {"Mul", [](int64_t a, int64_t b, int64_t) { return a * b; }},
        {"Sub", [](int64_t a, int64_t b, int64_t) { return a - b; }},
        {"Where", [](int64_t a, int64_t b, int64_t c) { return a ? b : c; }},
    };
    const auto operation = OPERATIONS.find(call.node.operation);
    if (operation == OPERATIONS.end() || call.In(1).type != ONNX_INT64)
    {
        return std::nullopt;
    }
    Shape results;
    for (std::size_t i = 0; i < count; ++i)
    {
        int64_t of[3]{};
        for (std::size_t k = 0; k < std::min<std::size_t>(3, call.node.inputs.size()); ++k)
        {
            const auto& values = call.In(k).values;
            of[k] = values && !values->empty() ? (*values)[i % values->size()] : MOST + 1;
            if (of[k] > MOST || of[k] < -MOST)
            {
                return std::nullopt;
            }
        }
        results.push_back(operation->second(of[0], of[1], of[2]));
    }
    return results;
}

/** Elementwise operators with broadcasting; TYPE as for Keep(). */
template <int64_t TYPE = 0>
void
Combine(OperatorCall& call)
{
    auto shape = call.In().shape;
    for (std::size_t i = 1; i < call.node.inputs.size(); ++i)
    {
        shape = call.Broadcast(shape, call.In(i).shape);
    }
    auto values = shape.size() > 1 ? Values() : Fold(call, shape.empty() ? 1 : shape.front());
    const bool isWhere = call.node.operation == "Where"; // whose first input is a condition
    call.Add(std::move(shape), isWhere ? call.In(1).type : TYPE, std::move(values));
}

/** Div and Mod: a division of integers by zero ends the process. */
void
Divide(OperatorCall& call)
{
    constexpr int64_t REALS[]{ONNX_FLOAT, ONNX_DOUBLE, ONNX_FLOAT16, ONNX_BFLOAT16};
    const auto& divisors = call.In(1).values;
    const auto isPositive = [](int64_t each) { return each > 0; };
    if (std::find(std::begin(REALS), std::end(REALS), call.In(1).type) == std::end(REALS) &&
        !(divisors && std::all_of(divisors->begin(), divisors->end(), isPositive)))
    {
        call.Refuse("divides integers by a number that is not a positive constant");
    }
    Combine(call);
}

/** Constant: one attribute with a tensor or numbers. */
void
Constant(OperatorCall& call)
{
    const auto& attributes = call.node.attributes;
    if (attributes.size() != 1 || !attributes.begin()->second.tensor)
    {
        call.Refuse("needs one tensor, number or list of numbers");
    }
    const auto& tensor = *attributes.begin()->second.tensor;
    call.Add(tensor.shape, tensor.type, tensor.values);
}

void
ConstantOfShape(OperatorCall& call)
{
    auto shape = call.Within(call.Listed("shape", 0), 0);
    const auto* given = call.Find("value");
    const auto value = given && given->tensor ? *given->tensor : KnownTensor{ONNX_FLOAT, {}, {}};
    const auto count = static_cast<std::size_t>(CountElements(shape));
    Values values;
    if (value.values && value.values->size() == 1 && count <= MOST_KNOWN_VALUES)
    {
        values.emplace(count, value.values->front());
    }
    call.Add(std::move(shape), value.type, std::move(values));
}

void
ShapeOf(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const auto rank = static_cast<int64_t>(shape.size());
    const auto place = [rank](int64_t at) { return std::clamp(at < 0 ? at + rank : at, {}, rank); };
    const auto start = place(call.Integer("start", 0));
    const auto end = std::max(start, place(call.Integer("end", rank)));
    call.Add({end - start}, ONNX_INT64, Shape(shape.begin() + start, shape.begin() + end));
}

/** Add an output with the elements of the first input in another shape. */
void
AddReshaped(OperatorCall& call, Shape shape)
{
    if (CountElements(shape) != CountElements(call.In().shape))
    {
        call.Refuse("changes the number of elements");
    }
    call.Add(std::move(shape), 0, call.In().values);
}

void
Reshape(OperatorCall& call)
{
    const auto& from = call.In().shape;
    auto shape = call.Within(call.Listed("shape", 1), -1);
    const bool copies = call.Integer("allowzero", 0) == 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        shape[i] = shape[i] == 0 && copies ? from[call.Axis(i, from.size())] : shape[i];
    }
    const auto rest = std::find(shape.begin(), shape.end(), -1);
    if (rest != shape.end())
    {
        *rest = 1;
        *rest = CountElements(from) / CountElements(shape);
    }
    AddReshaped(call, call.Within(&shape, 0));
}

void
Flatten(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const auto axis = static_cast<int64_t>(call.Axis(call.Integer("axis", 1), shape.size() + 1));
    const auto middle = shape.begin() + axis;
    AddReshaped(call,
                {CountElements({shape.begin(), middle}), CountElements({middle, shape.end()})});
}

void
Squeeze(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const auto* axes = call.Listed("axes", 1);
    const auto isDropped = call.Mark(axes ? *axes : Shape(), shape.size());
    Shape squeezed;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        if (axes ? !isDropped[i] : shape[i] != 1)
        {
            squeezed.push_back(shape[i]);
        }
    }
    AddReshaped(call, std::move(squeezed));
}

void
Unsqueeze(OperatorCall& call)
{
    const auto axes = call.Within(call.Listed("axes", 1), FROM_END);
    auto old = call.In().shape.begin();
    Shape shape;
    for (const bool isNew : call.Mark(axes, call.In().shape.size() + axes.size()))
    {
        shape.push_back(isNew ? 1 : *old++);
    }
    AddReshaped(call, std::move(shape));
}

void
Transpose(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    Shape order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    order = call.Listed("perm") ? *call.Listed("perm") : order;
    call.Mark(order, shape.size()); // no axis twice
    if (order.size() != shape.size())
    {
        call.Refuse("has no order of all axes");
    }
    for (auto& axis : order)
    {
        axis = shape[call.Axis(axis, shape.size())];
    }
    call.Add(std::move(order), 0, shape.size() <= 1 ? call.In().values : Values());
}

void
Concat(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto axis = call.Axis(call.Integer("axis", INT64_MAX), shape.size());
    auto values = shape.size() == 1 ? Values(std::in_place) : Values();
    int64_t whole = 0;
    for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    {
        auto [type, each, known] = call.In(i);
        whole += axis < each.size() ? std::exchange(each[axis], shape[axis]) : 0;
        if (each != shape)
        {
            call.Refuse("has inputs whose shapes do not fit");
        }
        values = known && values && values->size() <= MOST_KNOWN_VALUES ? values : Values();
        if (values)
        {
            values->insert(values->end(), known->begin(), known->end());
        }
    }
    shape[axis] = whole;
    call.Add(std::move(shape), 0, std::move(values));
}

void
Split(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto axis = call.Axis(call.Integer("axis", 0), shape.size());
    const auto parts = static_cast<int64_t>(call.node.outputs.size());
    const auto* given = call.Listed("split", 1);
    const auto length = parts > 0 ? (shape[axis] + parts - 1) / parts : 0;
    Shape lengths(parts, length);
    if (!given && parts > 0)
    {
        lengths.back() = shape[axis] - length * (parts - 1);
    }
    lengths = call.Within(given ? given : &lengths, 0);
    if (std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) != shape[axis])
    {
        call.Refuse("has parts that are not the whole axis");
    }
    for (const auto each : lengths)
    {
        shape[axis] = each;
        call.Add(shape);
    }
}

void
Slice(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto* starts = call.Listed("starts", 1);
    const auto* ends = call.Listed("ends", 2);
    const auto* steps = call.Listed("steps", 4);
    Shape axes(starts ? starts->size() : 0);
    const Shape ones(axes.size(), 1);
    std::iota(axes.begin(), axes.end(), 0);
    axes = call.Listed("axes", 3) ? *call.Listed("axes", 3) : axes;
    steps = steps ? steps : &ones;
    if (!starts || !ends || ends->size() != starts->size() || axes.size() != starts->size() ||
        steps->size() != starts->size())
    {
        call.Refuse("has lists of different lengths");
    }
    call.Mark(axes, shape.size()); // no axis twice
    auto values = shape.size() == 1 ? call.In().values : Values();
    for (std::size_t i = 0; i < axes.size(); ++i)
    {
        auto& length = shape[call.Axis(axes[i], shape.size())];
        const auto step = (*steps)[i];
        if (step == 0 || std::clamp(step, FROM_END, -FROM_END) != step)
        {
            call.Refuse("has a step that is 0 or out of range");
        }
        const auto place = [length, step](int64_t at) {
            at += at < 0 ? length : 0;
            return step > 0 ? std::clamp(at, int64_t{0}, length)
                            : std::clamp(at, int64_t{-1}, length - 1);
        };
        const auto start = place((*starts)[i]);
        const auto distance = place((*ends)[i]) - start;
        length = std::max<int64_t>(0, (distance + step - (step > 0 ? 1 : -1)) / step);
        Shape taken;
        for (int64_t at = 0; values && at < length; ++at)
        {
            taken.push_back((*values)[start + at * step]);
        }
        values = values ? Values(std::move(taken)) : Values();
    }
    call.Add(std::move(shape), 0, std::move(values));
}

void
Gather(OperatorCall& call)
{
    const auto& [type, from, known] = call.In();
    const auto& indices = call.In(1);
    const auto axis = call.Axis(call.Integer("axis", 0), from.size());
    auto shape = from;
    shape.erase(shape.begin() + axis);
    shape.insert(shape.begin() + axis, indices.shape.begin(), indices.shape.end());
    Values values;
    if (known && indices.values && from.size() == 1)
    {
        values.emplace();
        for (const auto index : *indices.values)
        {
            values->push_back((*known)[call.Axis(index, known->size())]);
        }
    }
    call.Add(std::move(shape), 0, std::move(values));
}

void
Expand(OperatorCall& call)
{
    call.Add(call.Broadcast(call.In().shape, call.Within(call.Listed("shape", 1), 0)));
}

void
Tile(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto repeats = call.Within(call.Listed("repeats", 1), 1);
    if (repeats.size() != shape.size())
    {
        call.Refuse("needs a number for each axis");
    }
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        shape[i] *= repeats[i];
    }
    call.Add(std::move(shape));
}

/** All operators of policy files by their rules. */
constexpr std::pair<OperatorRule, std::string_view> OPERATORS[]{
    {Keep, "Abs BatchNormalization Ceil Clip CumSum Dropout Elu Erf Exp Floor Gelu HardSigmoid"},
    {Keep, "HardSwish InstanceNormalization LayerNormalization LeakyRelu Log LogSoftmax"},
    {Keep, "Mish Neg Reciprocal Relu Round Selu Sigmoid Sign Sin Cos Softmax"},
    {Keep, "Softplus Softsign Sqrt Tanh"},
    {Keep<ONNX_BOOL>, "IsInf IsNaN Not"},
    {Cast, "Cast CastLike Identity"},
    {Combine, "Add Max Min Mul PRelu Pow Sub Where"},
    {Combine<ONNX_BOOL>, "And Equal Greater GreaterOrEqual Less LessOrEqual Or Xor"},
    {Divide, "Div Mod"},
    {Reduce, "ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSumExp ReduceMax ReduceMean ReduceMin"},
    {Reduce, "ReduceProd ReduceSum ReduceSumSquare"},
    {Constant, "Constant"},
    {ConstantOfShape, "ConstantOfShape"},
    {ShapeOf, "Shape"},
    {Reshape, "Reshape"},
    {Flatten, "Flatten"},
    {Squeeze, "Squeeze"},
    {Unsqueeze, "Unsqueeze"},
    {Transpose, "Transpose"},
    {Concat, "Concat"},
    {Split, "Split"},
    {Slice, "Slice"},
    {Gather, "Gather"},
    {[](OperatorCall& call) { call.Add(call.In(1).shape); }, "GatherElements"},
    {Expand, "Expand"},
    {Tile, "Tile"},
    {Multiply, "Gemm MatMul"},
    {Convolve, "AveragePool Conv MaxPool"},
    {PoolAll, "GlobalAveragePool GlobalMaxPool"},
    {Recur, "GRU LSTM RNN"},
};

/** @return the rules by the operators' names */
const std::map<std::string, OperatorRule, std::less<>>&
GetRules()
{
    static const auto rules = [] {
        std::map<std::string, OperatorRule, std::less<>> byName;
        for (const auto& [rule, names] : OPERATORS)
        {
            std::istringstream words{std::string(names)};
            for (std::string name; words >> name;)
            {
                byName.emplace(name, rule);
            }
        }
        return byName;
    }();
    return rules;
}

} // namespace

} // namespace rules

OperatorRule
FindOperator(std::string_view name)
{
    const auto found = rules::GetRules().find(name);
    return found == rules::GetRules().end() ? nullptr : found->second;
}

std::vector<std::string_view>
GetOperatorNames()
{
    const auto names = std::views::keys(rules::GetRules());
    return {names.begin(), names.end()};
}

} // namespace ns3
