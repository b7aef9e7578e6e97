// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-operators.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace ns3
{

namespace rules
{

namespace
{

using Shape = std::vector<int64_t>;
using Values = std::optional<std::vector<int64_t>>;

constexpr int64_t MOST_COUNT = int64_t{1} << 62;   //!< Result of CountElements() for more elements
constexpr int64_t MOST_SETTING = int64_t{1} << 31; //!< Largest integer of an attribute for sizes

/**
 * @param call A call.
 * @param left A shape.
 * @param right Another shape.
 * @return the shape of both after broadcasting
 */
Shape
Broadcast(const OperatorCall& call, const Shape& left, const Shape& right)
{
    const auto& longer = left.size() < right.size() ? right : left;
    const auto& shorter = left.size() < right.size() ? left : right;
    auto shape = longer;
    for (std::size_t i = 0; i < shorter.size(); ++i)
    {
        auto& length = shape[shape.size() - 1 - i];
        const auto other = shorter[shorter.size() - 1 - i];
        if (length != other && length != 1 && other != 1)
        {
            call.Refuse("has inputs whose shapes do not fit");
        }
        length = length == 1 ? other : length;
    }
    return shape;
}

/**
 * @param call A call.
 * @return the shape of all inputs after broadcasting
 */
Shape
BroadcastAll(const OperatorCall& call)
{
    auto shape = call.In().shape;
    for (std::size_t i = 1; i < call.node.inputs.size(); ++i)
    {
        shape = Broadcast(call, shape, call.In(i).shape);
    }
    return shape;
}

/** Elementwise operators, and others whose result has the shape of the first input. */
void
Keep(OperatorCall& call)
{
    call.Add(call.In().shape);
}

/** Elementwise tests. */
void
Test(OperatorCall& call)
{
    call.Add(call.In().shape, ONNX_BOOL);
}

/** Identity. */
void
Identity(OperatorCall& call)
{
    call.Add(call.In().shape, 0, call.In().values);
}

/** Cast and CastLike. */
void
Cast(OperatorCall& call)
{
    const auto to = call.Has(1) ? call.In(1).type : call.Integer("to", 0);
    const bool isWhole = to == ONNX_INT64;
    call.Add(call.In().shape, to, isWhole ? call.In().values : std::nullopt);
}

/** Operators of one shape after broadcasting, with a second input that does not change it. */
void
KeepFirst(OperatorCall& call)
{
    if (BroadcastAll(call) != call.In().shape)
    {
        call.Refuse("has inputs whose shapes do not fit");
    }
    call.Add(call.In().shape);
}

/** Arithmetic with broadcasting. */
void
Combine(OperatorCall& call)
{
    call.Add(BroadcastAll(call));
}

/** Comparisons with broadcasting. */
void
Compare(OperatorCall& call)
{
    call.Add(BroadcastAll(call), ONNX_BOOL);
}

/**
 * @param call A call of two inputs.
 * @param shape Shape of the result.
 * @param operation The operation; nothing: the result is unknown.
 * @return the result's elements if both inputs are constant
 */
Values
Calculate(const OperatorCall& call,
          const Shape& shape,
          const std::function<std::optional<int64_t>(int64_t, int64_t)>& operation)
{
    const auto& left = call.In(0).values;
    const auto& right = call.In(1).values;
    const auto count = CountElements(shape);
    const bool isWide = call.In(0).type == ONNX_INT64; // 32 bits would overflow at other values
    if (!isWide || !left || !right || left->empty() || right->empty() || shape.size() > 1)
    {
        return std::nullopt;
    }
    std::vector<int64_t> values;
    for (int64_t i = 0; i < count; ++i)
    {
        const auto value = operation((*left)[i % left->size()], (*right)[i % right->size()]);
        if (!value)
        {
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values;
}

/** Add, Sub and Mul, of constant integers, too. */
template <bool (*OVERFLOWS)(int64_t, int64_t, int64_t*)>
void
CombineIntegers(OperatorCall& call)
{
    auto shape = BroadcastAll(call);
    auto values = Calculate(call, shape, [](int64_t a, int64_t b) {
        int64_t result = 0;
        return OVERFLOWS(a, b, &result) ? std::nullopt : std::optional(result);
    });
    call.Add(std::move(shape), 0, std::move(values));
}

bool
Adds(int64_t a, int64_t b, int64_t* result)
{
    return __builtin_add_overflow(a, b, result);
}

bool
Subtracts(int64_t a, int64_t b, int64_t* result)
{
    return __builtin_sub_overflow(a, b, result);
}

bool
Multiplies(int64_t a, int64_t b, int64_t* result)
{
    return __builtin_mul_overflow(a, b, result);
}

/** Div and Mod: a division of integers by zero ends the process. */
void
Divide(OperatorCall& call)
{
    const auto type = call.In(1).type;
    const bool isReal =
        type == ONNX_FLOAT || type == ONNX_DOUBLE || type == ONNX_FLOAT16 || type == ONNX_BFLOAT16;
    const auto& divisors = call.In(1).values;
    const auto isPositive = [](int64_t each) { return each > 0; };
    if (!isReal && !(divisors && std::all_of(divisors->begin(), divisors->end(), isPositive)))
    {
        call.Refuse("divides integers by a number that is not a positive constant");
    }
    auto shape = BroadcastAll(call);
    auto values = Calculate(call, shape, [&call](int64_t a, int64_t b) {
        return call.node.operation == "Div" ? std::optional(a / b) : std::nullopt;
    });
    call.Add(std::move(shape), 0, std::move(values));
}

/** Equal, of constant integers, too: exporters compare shapes. */
void
Equal(OperatorCall& call)
{
    auto shape = BroadcastAll(call);
    auto values =
        Calculate(call, shape, [](int64_t a, int64_t b) { return std::optional(a == b); });
    call.Add(std::move(shape), ONNX_BOOL, std::move(values));
}

/** Where. */
void
Where(OperatorCall& call)
{
    auto shape = BroadcastAll(call);
    Values values;
    const auto& chosen = call.In(0).values;
    const auto& yes = call.In(1).values;
    const auto& no = call.In(2).values;
    if (chosen && yes && no && shape.size() <= 1 && !chosen->empty() && !yes->empty() &&
        !no->empty())
    {
        values.emplace();
        for (int64_t i = 0; i < CountElements(shape); ++i)
        {
            const auto& from = (*chosen)[i % chosen->size()] ? *yes : *no;
            values->push_back(from[i % from.size()]);
        }
    }
    call.Add(std::move(shape), call.In(1).type, std::move(values));
}

// ------------------------------------------------------------------ reductions

/** Reduce operators, ArgMax and ArgMin. */
void
Reduce(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const bool isIndex = call.node.operation.starts_with("Arg");
    std::vector<bool> isReduced(shape.size(), false);
    const auto* axes = isIndex ? nullptr : call.Listed("axes", 1);
    if (isIndex)
    {
        isReduced[call.Axis(call.Integer("axis", 0), shape.size())] = true;
    }
    else if (axes && !axes->empty())
    {
        for (const auto axis : *axes)
        {
            isReduced[call.Axis(axis, shape.size())] = true;
        }
    }
    else if (call.Integer("noop_with_empty_axes", 0) == 0)
    {
        isReduced.assign(shape.size(), true);
    }
    const bool keeps = call.Integer("keepdims", 1) != 0;
    Shape reduced;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        if (!isReduced[i] || keeps)
        {
            reduced.push_back(isReduced[i] ? 1 : shape[i]);
        }
    }
    call.Add(std::move(reduced), isIndex ? int64_t{ONNX_INT64} : 0);
}

/** TopK. */
void
TopK(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto axis = call.Axis(call.Integer("axis", -1), shape.size());
    const auto* listed = call.Find("k") ? nullptr : &call.Values(1);
    const auto k = listed ? (listed->size() == 1 ? listed->front() : -1) : call.Integer("k", -1);
    if (k < 0 || k > shape[axis])
    {
        call.Refuse("has a 'k' beyond the axis");
    }
    constexpr int64_t SORTING = 128;
    call.Multiply({SORTING, CountElements(shape)});
    shape[axis] = k;
    call.Add(shape);
    call.Add(shape, ONNX_INT64);
}

// ------------------------------------------------------------------ shapes

/** Constant. */
void
Constant(OperatorCall& call)
{
    if (call.node.attributes.size() != 1)
    {
        call.Refuse("needs one value");
    }
    const auto& [name, value] = *call.node.attributes.begin();
    if (name == "value" && value.tensor)
    {
        call.Add(value.tensor->shape, value.tensor->type, value.tensor->values);
    }
    else if (name == "value_int")
    {
        call.Add({}, ONNX_INT64, {{value.integer}});
    }
    else if (name == "value_ints")
    {
        const auto& all = value.integers;
        const bool isKnown = all.size() <= MOST_KNOWN_VALUES;
        call.Add({static_cast<int64_t>(all.size())},
                 ONNX_INT64,
                 isKnown ? std::optional(all) : std::nullopt);
    }
    else if (name == "value_float")
    {
        call.Add({}, ONNX_FLOAT);
    }
    else if (name == "value_floats")
    {
        call.Add({static_cast<int64_t>(value.reals)}, ONNX_FLOAT);
    }
    else
    {
        call.Refuse("has the attribute '" + std::string(name) + "'");
    }
}

/**
 * @param call A call.
 * @param lengths Lengths from the file.
 * @return the lengths, none of which is negative
 */
Shape
RequireLengths(const OperatorCall& call, const std::vector<int64_t>& lengths)
{
    if (std::any_of(lengths.begin(), lengths.end(), [](int64_t each) { return each < 0; }))
    {
        call.Refuse("makes an axis of negative length");
    }
    return lengths;
}

/** ConstantOfShape. */
void
ConstantOfShape(OperatorCall& call)
{
    auto shape = RequireLengths(call, call.Values(0));
    const auto* value = call.Find("value");
    const bool isGiven = value && value->tensor;
    Values values;
    if (isGiven && value->tensor->values && value->tensor->values->size() == 1 &&
        CountElements(shape) <= static_cast<int64_t>(MOST_KNOWN_VALUES))
    {
        values.emplace(CountElements(shape), value->tensor->values->front());
    }
    call.Add(std::move(shape),
             isGiven ? value->tensor->type : int64_t{ONNX_FLOAT},
             std::move(values));
}

/** Shape. */
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

/** Size. */
void
Size(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const bool isEmpty = std::count(shape.begin(), shape.end(), 0) > 0;
    call.Add({}, ONNX_INT64, {{isEmpty ? 0 : CountElements(shape)}});
}

/** Reshape. */
void
Reshape(OperatorCall& call)
{
    const auto& from = call.In().shape;
    const auto* given = call.Listed("shape", 1);
    if (!given)
    {
        call.Refuse("has no shape");
    }
    auto shape = *given;
    const auto count = CountElements(from);
    std::optional<std::size_t> rest;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        if (shape[i] == 0 && call.Integer("allowzero", 0) == 0)
        {
            shape[i] = from.at(call.Axis(static_cast<int64_t>(i), from.size()));
        }
        if (shape[i] == -1 && !rest)
        {
            rest = i;
            shape[i] = 1;
        }
    }
    RequireLengths(call, shape);
    if (rest)
    {
        shape[*rest] = count / CountElements(shape);
    }
    if (CountElements(shape) != count)
    {
        call.Refuse("changes the number of elements");
    }
    call.Add(std::move(shape), 0, call.In().values);
}

/** Flatten. */
void
Flatten(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const auto rank = static_cast<int64_t>(shape.size());
    auto axis = call.Integer("axis", 1);
    axis = axis < 0 ? axis + rank : axis;
    if (axis < 0 || axis > rank)
    {
        call.Refuse("has an axis that its input has not");
    }
    call.Add({CountElements(Shape(shape.begin(), shape.begin() + axis)),
              CountElements(Shape(shape.begin() + axis, shape.end()))},
             0,
             call.In().values);
}

/** Transpose. */
void
Transpose(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    Shape order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    if (const auto* given = call.Integers("perm"))
    {
        order = *given;
    }
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    Shape turned;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        if (sorted.size() != shape.size() || sorted[i] != static_cast<int64_t>(i))
        {
            call.Refuse("has no order of all axes");
        }
        turned.push_back(shape[order[i]]);
    }
    call.Add(std::move(turned), 0, shape.size() <= 1 ? call.In().values : std::nullopt);
}

/** Squeeze. */
void
Squeeze(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    std::vector<bool> isDropped(shape.size(), false);
    if (const auto* axes = call.Listed("axes", 1))
    {
        for (const auto axis : *axes)
        {
            isDropped[call.Axis(axis, shape.size())] = true;
        }
    }
    else
    {
        std::transform(shape.begin(), shape.end(), isDropped.begin(), [](auto it) {
            return it == 1;
        });
    }
    Shape squeezed;
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        if (!isDropped[i])
        {
            squeezed.push_back(shape[i]);
        }
        else if (shape[i] != 1)
        {
            call.Refuse("drops an axis of another length than 1");
        }
    }
    call.Add(std::move(squeezed), 0, call.In().values);
}

/** Unsqueeze. */
void
Unsqueeze(OperatorCall& call)
{
    const auto* axes = call.Listed("axes", 1);
    if (!axes)
    {
        call.Refuse("has no axes");
    }
    std::vector<bool> isNew(call.In().shape.size() + axes->size(), false);
    for (const auto axis : *axes)
    {
        isNew[call.Axis(axis, isNew.size())] = true;
    }
    if (std::count(isNew.begin(), isNew.end(), true) != static_cast<int64_t>(axes->size()))
    {
        call.Refuse("repeats an axis");
    }
    Shape shape;
    auto old = call.In().shape.begin();
    for (const bool each : isNew)
    {
        shape.push_back(each ? 1 : *old++);
    }
    call.Add(std::move(shape), 0, call.In().values);
}

/** Concat. */
void
Concat(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto axis = call.Axis(call.Integer("axis", MOST_SETTING), shape.size());
    shape[axis] = 0;
    Values values(std::in_place);
    for (std::size_t i = 0; i < call.node.inputs.size(); ++i)
    {
        auto each = call.In(i).shape;
        const auto length = each.size() == shape.size() ? each[axis] : 0;
        if (each.size() == shape.size())
        {
            each[axis] = shape[axis];
        }
        if (each != shape)
        {
            call.Refuse("has inputs whose shapes do not fit");
        }
        shape[axis] += length;
        const auto& known = call.In(i).values;
        if (values && known && shape.size() == 1)
        {
            values->insert(values->end(), known->begin(), known->end());
        }
        else
        {
            values.reset();
        }
    }
    call.Add(std::move(shape), 0, std::move(values));
}

/** Split. */
void
Split(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto axis = call.Axis(call.Integer("axis", 0), shape.size());
    const auto parts = static_cast<int64_t>(call.node.outputs.size());
    const auto whole = shape[axis];
    std::vector<int64_t> lengths;
    if (const auto* given = call.Listed("split", 1))
    {
        lengths = RequireLengths(call, *given);
    }
    else if (parts > 0)
    {
        const auto length = (whole + parts - 1) / parts;
        lengths.assign(parts, length);
        lengths.back() = whole - length * (parts - 1);
    }
    if (static_cast<int64_t>(lengths.size()) != parts ||
        std::any_of(lengths.begin(),
                    lengths.end(),
                    [whole](auto each) { return each < 0 || each > whole; }) ||
        std::accumulate(lengths.begin(), lengths.end(), int64_t{0}) != whole)
    {
        call.Refuse("has parts that are not the whole axis");
    }
    for (const auto length : lengths)
    {
        shape[axis] = length;
        call.Add(shape);
    }
}

/** Slice. */
void
Slice(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto* starts = call.Listed("starts", 1);
    const auto* ends = call.Listed("ends", 2);
    const auto* axes = call.Listed("axes", 3);
    const auto* steps = call.Listed("steps", 4);
    if (!starts || !ends || starts->size() != ends->size() ||
        (axes && axes->size() != starts->size()) || (steps && steps->size() != starts->size()))
    {
        call.Refuse("has lists of different lengths");
    }
    auto values = shape.size() == 1 ? call.In().values : std::nullopt;
    std::vector<bool> isSliced(shape.size(), false);
    for (std::size_t i = 0; i < starts->size(); ++i)
    {
        const auto axis = call.Axis(axes ? (*axes)[i] : static_cast<int64_t>(i), shape.size());
        const auto step = steps ? (*steps)[i] : 1;
        const auto length = shape[axis];
        if (step == 0 || std::abs(step) > MOST_SETTING || isSliced[axis])
        {
            call.Refuse("has no step, or repeats an axis");
        }
        isSliced[axis] = true;
        const auto place = [length, step](int64_t at) {
            at = at < 0 ? std::max(at, -MOST_COUNT) + length : at;
            return step > 0 ? std::clamp(at, int64_t{0}, length)
                            : std::clamp(at, int64_t{-1}, length - 1);
        };
        const auto start = place((*starts)[i]);
        const auto distance = place((*ends)[i]) - start;
        shape[axis] = std::max<int64_t>(0, (distance + step - (step > 0 ? 1 : -1)) / step);
        if (values)
        {
            std::vector<int64_t> taken;
            for (int64_t at = 0; at < shape[axis]; ++at)
            {
                taken.push_back((*values)[start + at * step]);
            }
            values = std::move(taken);
        }
    }
    call.Add(std::move(shape), 0, std::move(values));
}

/** Gather. */
void
Gather(OperatorCall& call)
{
    const auto& from = call.In().shape;
    const auto& indices = call.In(1);
    const auto axis = call.Axis(call.Integer("axis", 0), from.size());
    Shape shape(from.begin(), from.begin() + axis);
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    shape.insert(shape.end(), from.begin() + axis + 1, from.end());
    Values values;
    if (call.In().values && indices.values && from.size() == 1)
    {
        values.emplace();
        for (const auto index : *indices.values)
        {
            values->push_back((*call.In().values)[call.Axis(index, call.In().values->size())]);
        }
    }
    call.Add(std::move(shape), 0, std::move(values));
}

/** GatherElements. */
void
GatherElements(OperatorCall& call)
{
    call.Add(call.In(1).shape);
}

/** GatherND. */
void
GatherNd(OperatorCall& call)
{
    const auto& from = call.In().shape;
    auto shape = call.In(1).shape;
    const auto skipped = call.Integer("batch_dims", 0);
    const auto length = shape.empty() ? 0 : shape.back();
    if (skipped != 0 || length < 1 || length > static_cast<int64_t>(from.size()))
    {
        call.Refuse("has indices that its data has not");
    }
    shape.pop_back();
    shape.insert(shape.end(), from.begin() + length, from.end());
    call.Add(std::move(shape));
}

/** Expand. */
void
Expand(OperatorCall& call)
{
    call.Add(Broadcast(call, call.In().shape, RequireLengths(call, call.Values(1))));
}

/** Tile. */
void
Tile(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto& repeats = call.Values(1);
    if (repeats.size() != shape.size())
    {
        call.Refuse("needs a number for each axis");
    }
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        shape[i] = repeats[i] <= 0 ? -std::abs(repeats[i])
                                   : CountElements({shape[i], repeats[i]}) * (shape[i] > 0);
    }
    call.Add(RequireLengths(call, shape));
}

/** Pad. */
void
Pad(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto* pads = call.Listed("pads", 1);
    if (!pads || pads->size() != 2 * shape.size() || call.Has(3))
    {
        call.Refuse("needs two numbers for each axis");
    }
    const auto* mode = call.Find("mode");
    const bool isMirrored = mode && mode->text != "constant";
    for (std::size_t i = 0; i < shape.size(); ++i)
    {
        const auto length = shape[i];
        for (const auto each : {(*pads)[i], (*pads)[i + shape.size()]})
        {
            if (std::abs(each) > MOST_SETTING || (isMirrored && each >= length))
            {
                call.Refuse("pads too much");
            }
            shape[i] += each;
        }
    }
    call.Add(RequireLengths(call, shape));
}

/** Range. */
void
Range(OperatorCall& call)
{
    std::array<int64_t, 3> range{};
    for (std::size_t i = 0; i < range.size(); ++i)
    {
        const auto& value = call.Values(i);
        if (value.size() != 1 || std::abs(value.front()) > MOST_SETTING)
        {
            call.Refuse("is too long");
        }
        range[i] = value.front();
    }
    const auto [start, end, step] = range;
    if (step == 0)
    {
        call.Refuse("has no step");
    }
    const auto length = std::max<int64_t>(0, (end - start + step - (step > 0 ? 1 : -1)) / step);
    Values values;
    if (length <= static_cast<int64_t>(MOST_KNOWN_VALUES))
    {
        values.emplace();
        for (int64_t i = 0; i < length; ++i)
        {
            values->push_back(start + i * step);
        }
    }
    call.Add({length}, 0, std::move(values));
}

/** OneHot. */
void
OneHot(OperatorCall& call)
{
    auto shape = call.In().shape;
    const auto& depth = call.Values(1);
    const auto axis = call.Axis(call.Integer("axis", -1), shape.size() + 1);
    if (depth.size() != 1)
    {
        call.Refuse("needs one depth");
    }
    shape.insert(shape.begin() + axis, depth.front());
    call.Add(RequireLengths(call, shape), call.In(2).type);
}

// ------------------------------------------------------------------ layers

/** MatMul. */
void
MatMul(OperatorCall& call)
{
    auto left = call.In(0).shape;
    auto right = call.In(1).shape;
    const bool isRow = left.size() == 1;
    const bool isColumn = right.size() == 1;
    if (left.empty() || right.empty())
    {
        call.Refuse("multiplies a scalar");
    }
    if (isRow)
    {
        left.insert(left.begin(), 1);
    }
    if (isColumn)
    {
        right.push_back(1);
    }
    const auto rows = left.end()[-2];
    const auto columns = right.back();
    const auto inner = left.back();
    if (inner != right.end()[-2])
    {
        call.Refuse("has inputs whose shapes do not fit");
    }
    auto shape = Broadcast(call, {left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
    call.Multiply({CountElements(shape), rows, columns, inner});
    if (!isRow)
    {
        shape.push_back(rows);
    }
    if (!isColumn)
    {
        shape.push_back(columns);
    }
    call.Add(std::move(shape));
}

/** Gemm. */
void
Gemm(OperatorCall& call)
{
    auto left = call.In(0).shape;
    auto right = call.In(1).shape;
    if (left.size() != 2 || right.size() != 2)
    {
        call.Refuse("multiplies other values than matrices");
    }
    if (call.Integer("transA", 0) != 0)
    {
        std::swap(left[0], left[1]);
    }
    if (call.Integer("transB", 0) != 0)
    {
        std::swap(right[0], right[1]);
    }
    const Shape shape{left[0], right[1]};
    if (left[1] != right[0] || (call.Has(2) && Broadcast(call, shape, call.In(2).shape) != shape))
    {
        call.Refuse("has inputs whose shapes do not fit");
    }
    call.Multiply({left[0], left[1], right[1]});
    call.Add(shape);
}

/**
 * @brief The window that a convolution or a pooling moves over its input.
 */
class Window
{
  public:
    /**
     * @param call The call.
     * @param kernel Lengths of the window.
     */
    Window(const OperatorCall& call, Shape kernel)
        : m_call(call),
          m_kernel(std::move(kernel)),
          m_strides(Read("strides", 1, m_kernel.size())),
          m_dilations(Read("dilations", 1, m_kernel.size())),
          m_pads(Read("pads", 0, 2 * m_kernel.size()))
    {
        if (m_call.In().shape.size() != m_kernel.size() + 2 || m_kernel.empty())
        {
            m_call.Refuse("has a window of other axes than its input");
        }
        for (const auto length : m_kernel)
        {
            if (length < 1 || length > MOST_SETTING)
            {
                m_call.Refuse("has an empty window");
            }
        }
    }

    /** @return the lengths of the result's axes after the channels */
    Shape Slide() const
    {
        const auto* padding = m_call.Find("auto_pad");
        const auto kind = padding ? padding->text : "NOTSET";
        Shape lengths;
        for (std::size_t i = 0; i < m_kernel.size(); ++i)
        {
            const auto length = m_call.In().shape[i + 2];
            const auto covered = (m_kernel[i] - 1) * m_dilations[i] + 1;
            const auto padded =
                kind == "NOTSET" ? length + m_pads[i] + m_pads[i + m_kernel.size()] : length;
            if (kind.starts_with("SAME"))
            {
                lengths.push_back((length + m_strides[i] - 1) / m_strides[i]);
            }
            else if (padded < covered)
            {
                m_call.Refuse("has a window that is larger than its input");
            }
            else
            {
                lengths.push_back((padded - covered) / m_strides[i] + 1);
            }
        }
        return lengths;
    }

  private:
    /**
     * @param name Name of an attribute.
     * @param least Its least value, and its default.
     * @param count Number of its values.
     * @return the values
     */
    Shape Read(std::string_view name, int64_t least, std::size_t count) const
    {
        const auto* given = m_call.Integers(name);
        auto values = given ? *given : Shape(count, least);
        const auto isWrong = [least](int64_t each) { return each < least || each > MOST_SETTING; };
        if (values.size() != count || std::any_of(values.begin(), values.end(), isWrong))
        {
            m_call.Refuse("has " + std::string(name) + " out of range");
        }
        return values;
    }

    const OperatorCall& m_call; //!< The call
    Shape m_kernel;             //!< Lengths of the window
    Shape m_strides;            //!< Steps of the window
    Shape m_dilations;          //!< Distances of the window's elements
    Shape m_pads; //!< Elements around the input: before each axis, then after each axis
};

/** Conv. */
void
Conv(OperatorCall& call)
{
    const auto& in = call.In().shape;
    const auto& weights = call.In(1).shape;
    const auto groups = call.Integer("group", 1);
    if (in.size() < 3 || weights.size() != in.size() || groups < 1 || weights[1] < 1 ||
        weights[0] % groups != 0 || in[1] % groups != 0 || in[1] / groups != weights[1])
    {
        call.Refuse("has weights that do not fit its input");
    }
    const Shape kernel(weights.begin() + 2, weights.end());
    const auto* given = call.Integers("kernel_shape");
    if (given && *given != kernel)
    {
        call.Refuse("has a window of another size than its weights");
    }
    const auto spread = Window(call, kernel).Slide();
    constexpr int64_t BLOCK = 16; // the runtime rounds the number of channels up
    const auto channels = (weights[0] + BLOCK - 1) / BLOCK * BLOCK;
    call.Multiply({in[0], channels, weights[1], CountElements(kernel), CountElements(spread)});
    call.Reserve({in[0], channels, CountElements(spread)});
    call.Reserve({weights[1], CountElements(kernel), CountElements(spread)});
    Shape shape{in[0], weights[0]};
    shape.insert(shape.end(), spread.begin(), spread.end());
    call.Add(std::move(shape));
}

/** MaxPool and AveragePool. */
void
Pool(OperatorCall& call)
{
    const auto* kernel = call.Integers("kernel_shape");
    const auto& in = call.In().shape;
    if (!kernel || in.size() < 3 || call.Integer("ceil_mode", 0) != 0)
    {
        call.Refuse("has no kernel_shape, or has a ceil_mode");
    }
    const auto spread = Window(call, *kernel).Slide();
    constexpr int64_t COMPARING = 4;
    call.Multiply({COMPARING, in[0], in[1], CountElements(*kernel), CountElements(spread)});
    Shape shape{in[0], in[1]};
    shape.insert(shape.end(), spread.begin(), spread.end());
    call.Add(std::move(shape));
}

/** GlobalMaxPool and GlobalAveragePool. */
void
PoolAll(OperatorCall& call)
{
    auto shape = call.In().shape;
    if (shape.size() < 3)
    {
        call.Refuse("has no axes after the channels");
    }
    std::fill(shape.begin() + 2, shape.end(), 1);
    call.Add(std::move(shape));
}

/** LSTM, GRU and RNN. */
void
Recur(OperatorCall& call)
{
    const auto gates = call.node.operation == "LSTM" ? 4 : call.node.operation == "GRU" ? 3 : 1;
    const auto* direction = call.Find("direction");
    const auto ways = direction && direction->text == "bidirectional" ? 2 : 1;
    const auto& in = call.In(0).shape;
    const auto& past = call.In(2).shape;
    const auto hidden = past.empty() ? 0 : past.back();
    if (in.size() != 3 || hidden < 1 || call.Integer("layout", 0) != 0 ||
        call.Integer("hidden_size", hidden) != hidden ||
        call.In(1).shape != Shape{ways, gates * hidden, in[2]} ||
        past != Shape{ways, gates * hidden, hidden})
    {
        call.Refuse("has weights that do not fit its input");
    }
    call.Multiply({in[0], in[1], ways, gates, hidden, in[2] + hidden});
    call.Reserve({in[0], in[1], ways, gates, hidden});
    call.Add({in[0], ways, in[1], hidden});
    call.Add({ways, in[1], hidden});
    call.Add({ways, in[1], hidden});
}

/** An operator of policy files. */
struct Operator
{
    std::string_view name; //!< Name in ONNX
    OperatorRule rule;     //!< Rule of its outputs
};

/** All operators of policy files, in alphabetical order. */
constexpr std::array OPERATORS{
    Operator{"Abs", Keep},
    Operator{"Acos", Keep},
    Operator{"Acosh", Keep},
    Operator{"Add", CombineIntegers<Adds>},
    Operator{"And", Compare},
    Operator{"ArgMax", Reduce},
    Operator{"ArgMin", Reduce},
    Operator{"Asin", Keep},
    Operator{"Asinh", Keep},
    Operator{"Atan", Keep},
    Operator{"Atanh", Keep},
    Operator{"AveragePool", Pool},
    Operator{"BatchNormalization", Keep},
    Operator{"Cast", Cast},
    Operator{"CastLike", Cast},
    Operator{"Ceil", Keep},
    Operator{"Celu", Keep},
    Operator{"Clip", Keep},
    Operator{"Concat", Concat},
    Operator{"Constant", Constant},
    Operator{"ConstantOfShape", ConstantOfShape},
    Operator{"Conv", Conv},
    Operator{"Cos", Keep},
    Operator{"Cosh", Keep},
    Operator{"CumSum", Keep},
    Operator{"Div", Divide},
    Operator{"Dropout", Keep},
    Operator{"Elu", Keep},
    Operator{"Equal", Equal},
    Operator{"Erf", Keep},
    Operator{"Exp", Keep},
    Operator{"Expand", Expand},
    Operator{"Flatten", Flatten},
    Operator{"Floor", Keep},
    Operator{"GRU", Recur},
    Operator{"Gather", Gather},
    Operator{"GatherElements", GatherElements},
    Operator{"GatherND", GatherNd},
    Operator{"Gelu", Keep},
    Operator{"Gemm", Gemm},
    Operator{"GlobalAveragePool", PoolAll},
    Operator{"GlobalMaxPool", PoolAll},
    Operator{"Greater", Compare},
    Operator{"GreaterOrEqual", Compare},
    Operator{"HardSigmoid", Keep},
    Operator{"HardSwish", Keep},
    Operator{"Hardmax", Keep},
    Operator{"Identity", Identity},
    Operator{"InstanceNormalization", Keep},
    Operator{"IsInf", Test},
    Operator{"IsNaN", Test},
    Operator{"LSTM", Recur},
    Operator{"LayerNormalization", Keep},
    Operator{"LeakyRelu", Keep},
    Operator{"Less", Compare},
    Operator{"LessOrEqual", Compare},
    Operator{"Log", Keep},
    Operator{"LogSoftmax", Keep},
    Operator{"LpNormalization", Keep},
    Operator{"MatMul", MatMul},
    Operator{"Max", Combine},
    Operator{"MaxPool", Pool},
    Operator{"Mean", Combine},
    Operator{"Min", Combine},
    Operator{"Mish", Keep},
    Operator{"Mod", Divide},
    Operator{"Mul", CombineIntegers<Multiplies>},
    Operator{"Neg", Keep},
    Operator{"Not", Test},
    Operator{"OneHot", OneHot},
    Operator{"Or", Compare},
    Operator{"PRelu", KeepFirst},
    Operator{"Pad", Pad},
    Operator{"Pow", Combine},
    Operator{"RNN", Recur},
    Operator{"Range", Range},
    Operator{"Reciprocal", Keep},
    Operator{"ReduceL1", Reduce},
    Operator{"ReduceL2", Reduce},
    Operator{"ReduceLogSum", Reduce},
    Operator{"ReduceLogSumExp", Reduce},
    Operator{"ReduceMax", Reduce},
    Operator{"ReduceMean", Reduce},
    Operator{"ReduceMin", Reduce},
    Operator{"ReduceProd", Reduce},
    Operator{"ReduceSum", Reduce},
    Operator{"ReduceSumSquare", Reduce},
    Operator{"Relu", Keep},
    Operator{"Reshape", Reshape},
    Operator{"Round", Keep},
    Operator{"ScatterElements", Keep},
    Operator{"ScatterND", Keep},
    Operator{"Selu", Keep},
    Operator{"Shape", ShapeOf},
    Operator{"Sigmoid", Keep},
    Operator{"Sign", Keep},
    Operator{"Sin", Keep},
    Operator{"Sinh", Keep},
    Operator{"Size", Size},
    Operator{"Slice", Slice},
    Operator{"Softmax", Keep},
    Operator{"Softplus", Keep},
    Operator{"Softsign", Keep},
    Operator{"Split", Split},
    Operator{"Sqrt", Keep},
    Operator{"Squeeze", Squeeze},
    Operator{"Sub", CombineIntegers<Subtracts>},
    Operator{"Sum", Combine},
    Operator{"Tan", Keep},
    Operator{"Tanh", Keep},
    Operator{"ThresholdedRelu", Keep},
    Operator{"Tile", Tile},
    Operator{"TopK", TopK},
    Operator{"Transpose", Transpose},
    Operator{"Trilu", Keep},
    Operator{"Unsqueeze", Unsqueeze},
    Operator{"Where", Where},
    Operator{"Xor", Compare},
};

} // namespace

} // namespace rules

OperatorCall::OperatorCall(const OnnxNode& called, std::vector<const KnownTensor*> inputs)
    : node(called),
      m_inputs(std::move(inputs))
{
}

bool
OperatorCall::Has(std::size_t i) const
{
    return i < m_inputs.size() && m_inputs[i];
}

const KnownTensor&
OperatorCall::In(std::size_t i) const
{
    if (!Has(i))
    {
        Refuse("lacks an input");
    }
    return *m_inputs[i];
}

const std::vector<int64_t>&
OperatorCall::Values(std::size_t i) const
{
    if (!In(i).values)
    {
        Refuse("makes a tensor whose size is not constant");
    }
    return *In(i).values;
}

int64_t
OperatorCall::Integer(std::string_view name, int64_t otherwise) const
{
    const auto* found = Find(name);
    return found ? found->integer : otherwise;
}

const std::vector<int64_t>*
OperatorCall::Integers(std::string_view name) const
{
    const auto* found = Find(name);
    return found ? &found->integers : nullptr;
}

const std::vector<int64_t>*
OperatorCall::Listed(std::string_view name, std::size_t input) const
{
    const auto* found = Integers(name);
    if (found && Has(input))
    {
        Refuse("has '" + std::string(name) + "' twice");
    }
    return !found && Has(input) ? &Values(input) : found;
}

const OnnxAttribute*
OperatorCall::Find(std::string_view name) const
{
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
}

std::size_t
OperatorCall::Axis(int64_t axis, std::size_t rank) const
{
    const auto axes = static_cast<int64_t>(rank);
    if (axis < -axes || axis >= axes)
    {
        Refuse("has an axis or an index that its input has not");
    }
    return axis < 0 ? axis + axes : axis;
}

void
OperatorCall::Add(std::vector<int64_t> shape,
                  int64_t type,
                  std::optional<std::vector<int64_t>> values)
{
    const bool isEmpty = std::count(shape.begin(), shape.end(), 0) > 0;
    const auto count = isEmpty ? 0 : static_cast<std::size_t>(CountElements(shape));
    if (values && (values->size() > MOST_KNOWN_VALUES || values->size() != count))
    {
        values.reset();
    }
    outputs.push_back({type ? type : In().type, std::move(shape), std::move(values)});
}

void
OperatorCall::Multiply(std::initializer_list<int64_t> factors)
{
    multiplications = std::min(rules::MOST_COUNT, multiplications + CountElements(factors));
}

void
OperatorCall::Reserve(std::initializer_list<int64_t> factors)
{
    reserved = std::min(rules::MOST_COUNT, reserved + CountElements(factors));
}

void
OperatorCall::Refuse(const std::string& what) const
{
    throw PolicyFault("its operator '" + std::string(node.operation) + "' " + what);
}

int64_t
CountElements(const std::vector<int64_t>& factors)
{
    int64_t count = 1;
    for (const auto each : factors)
    {
        if (__builtin_mul_overflow(count, std::max<int64_t>(each, 1), &count) ||
            count > rules::MOST_COUNT)
        {
            return rules::MOST_COUNT;
        }
    }
    return count;
}

OperatorRule
FindOperator(std::string_view name)
{
    const auto found = std::lower_bound(
        rules::OPERATORS.begin(),
        rules::OPERATORS.end(),
        name,
        [](const rules::Operator& each, std::string_view wanted) { return each.name < wanted; });
    return found != rules::OPERATORS.end() && found->name == name ? found->rule : nullptr;
}

std::vector<std::string_view>
GetOperatorNames()
{
    std::vector<std::string_view> names;
    for (const auto& each : rules::OPERATORS)
    {
        names.push_back(each.name);
    }
    return names;
}

} // namespace ns3
