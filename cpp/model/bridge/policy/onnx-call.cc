// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-operators.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr int64_t MOST_COUNT = int64_t{1} << 61;   //!< Result of CountElements() for more elements
constexpr int64_t MOST_SETTING = int64_t{1} << 31; //!< Largest integer from a file for sizes

} // namespace

const KnownTensor&
OperatorCall::In(std::size_t i) const
{
    if (!Has(i))
    {
        Refuse("lacks an input");
    }
    return *inputs[i];
}

const OnnxAttribute*
OperatorCall::Find(std::string_view name) const
{
    const auto found = node.attributes.find(name);
    return found == node.attributes.end() ? nullptr : &found->second;
}

int64_t
OperatorCall::Integer(std::string_view name, int64_t otherwise) const
{
    const auto* values = Listed(name);
    if (values && !Find(name)->tensor->shape.empty())
    {
        Refuse("has several values of '" + std::string(name) + "'");
    }
    return values ? values->front() : otherwise;
}

const OperatorCall::Shape*
OperatorCall::Listed(std::string_view name, std::size_t input) const
{
    const auto* attribute = Find(name);
    const bool isInput = Has(input);
    if (attribute && isInput)
    {
        Refuse("has '" + std::string(name) + "' twice");
    }
    if (!attribute && !isInput)
    {
        return nullptr;
    }
    const auto* tensor = isInput             ? inputs[input]
                         : attribute->tensor ? &*attribute->tensor
                                             : nullptr;
    if (!tensor || !tensor->values)
    {
        Refuse("needs a constant for '" + std::string(name) + "', which determines a size");
    }
    return &*tensor->values;
}

OperatorCall::Shape
OperatorCall::Within(const Shape* values, int64_t least) const
{
    const auto fits = [least](int64_t each) { return each >= least && each <= MOST_SETTING; };
    if (!values || !std::all_of(values->begin(), values->end(), fits))
    {
        Refuse("lacks a list of lengths, or has a length that is out of range");
    }
    return *values;
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

std::vector<bool>
OperatorCall::Mark(const Shape& axes, std::size_t rank) const
{
    std::vector<bool> marks(rank, false);
    for (const auto each : axes)
    {
        const auto axis = Axis(each, rank);
        if (marks[axis])
        {
            Refuse("repeats an axis");
        }
        marks[axis] = true;
    }
    return marks;
}

OperatorCall::Shape
OperatorCall::Broadcast(const Shape& left, const Shape& right) const
{
    auto shape = left.size() < right.size() ? right : left;
    const auto& shorter = left.size() < right.size() ? left : right;
    for (std::size_t i = 0; i < shorter.size(); ++i)
    {
        auto& length = shape[shape.size() - 1 - i];
        const auto other = shorter[shorter.size() - 1 - i];
        if (length != other && length != 1 && other != 1)
        {
            Refuse("has inputs whose shapes do not fit");
        }
        length = length == 1 ? other : length;
    }
    return shape;
}

void
OperatorCall::Add(Shape shape, int64_t type, Values values)
{
    const bool isEmpty = std::count(shape.begin(), shape.end(), 0) > 0;
    const auto count = isEmpty ? 0 : static_cast<std::size_t>(CountElements(shape));
    if (values && (values->size() > MOST_KNOWN_VALUES || values->size() != count))
    {
        values.reset();
    }
    outputs.push_back({type ? type : In().type, std::move(shape), std::move(values)});
}

int64_t
CountElements(const std::vector<int64_t>& factors)
{
    int64_t count = 1;
    for (const auto each : factors)
    {
        if (__builtin_mul_overflow(count, std::max<int64_t>(each, 1), &count) || count > MOST_COUNT)
        {
            return MOST_COUNT;
        }
    }
    return count;
}

} // namespace ns3
