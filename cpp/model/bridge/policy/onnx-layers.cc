// SPDX-License-Identifier: GPL-2.0-only

#include "onnx-operators.h"

#include <algorithm>

namespace ns3::rules
{

using Shape = OperatorCall::Shape;

namespace
{

/**
 * @param call A convolution or a pooling.
 * @param kernel Lengths of the window that it moves over its input.
 * @return the lengths of the result's axes after the channels
 */
Shape
Slide(const OperatorCall& call, const Shape& kernel)
{
    const auto& in = call.In().shape;
    const auto rank = kernel.size();
    const auto read = [&call](std::string_view name, int64_t least, std::size_t count) {
        const Shape missing(count, least);
        const auto* given = call.Listed(name);
        const auto values = call.Within(given ? given : &missing, least);
        if (values.size() != count)
        {
            call.Refuse("has a wrong number of " + std::string(name));
        }
        return values;
    };
    const auto strides = read("strides", 1, rank);
    const auto dilations = read("dilations", 1, rank);
    const auto pads = read("pads", 0, 2 * rank);
    const auto* padding = call.Find("auto_pad");
    if (rank == 0 || in.size() != rank + 2 || call.Integer("ceil_mode", 0) != 0 ||
        (padding && padding->text != "NOTSET"))
    {
        call.Refuse("has an auto_pad, a ceil_mode, or a window of other axes than its input");
    }
    Shape lengths;
    for (std::size_t i = 0; i < rank; ++i)
    {
        const auto free = in[i + 2] + pads[i] + pads[i + rank] - (kernel[i] - 1) * dilations[i] - 1;
        if (free < 0)
        {
            call.Refuse("has a window that is larger than its input");
        }
        lengths.push_back(free / strides[i] + 1);
    }
    return lengths;
}

} // namespace

void
Multiply(OperatorCall& call)
{
    auto left = call.In(0).shape;
    auto right = call.In(1).shape;
    const bool isRow = left.size() == 1;
    const bool isColumn = right.size() == 1;
    left.insert(left.begin(), isRow ? 1 : 0, 1);
    right.insert(right.end(), isColumn ? 1 : 0, 1);
    if (left.empty() || right.empty())
    {
        call.Refuse("multiplies a number");
    }
    if (call.Integer("transA", 0) != 0)
    {
        std::swap(left.end()[-2], left.back());
    }
    if (call.Integer("transB", 0) != 0)
    {
        std::swap(right.end()[-2], right.back());
    }
    if (left.back() != right.end()[-2])
    {
        call.Refuse("has inputs whose shapes do not fit");
    }
    auto shape = call.Broadcast({left.begin(), left.end() - 2}, {right.begin(), right.end() - 2});
    call.multiplications =
        CountElements({CountElements(shape), left.end()[-2], left.back(), right.back()});
    shape.insert(shape.end(), isRow ? 0 : 1, left.end()[-2]);
    shape.insert(shape.end(), isColumn ? 0 : 1, right.back());
    call.Add(std::move(shape));
}

void
Convolve(OperatorCall& call)
{
    const bool isPool = call.node.operation != "Conv";
    const auto& in = call.In().shape;
    auto shape = isPool ? in : call.In(1).shape;
    const auto* given = call.Listed("kernel_shape");
    if (shape.size() < 3 || in.size() != shape.size() || (isPool && !given))
    {
        call.Refuse("has no kernel_shape, or weights that do not fit its input");
    }
    const Shape kernel = isPool ? *given : Shape(shape.begin() + 2, shape.end());
    const auto groups = isPool ? in[1] : call.Integer("group", 1);
    const auto depth = isPool ? 1 : shape[1];
    const auto channels = isPool ? in[1] : shape[0];
    if ((given && *given != kernel) || groups < 1 || channels % groups != 0 ||
        in[1] % groups != 0 || in[1] / groups != depth)
    {
        call.Refuse("has weights that do not fit its input");
    }
    auto spread = Slide(call, call.Within(&kernel, 1));
    constexpr int64_t BLOCK = 16; // the runtime rounds the number of channels up
    const auto size = CountElements(spread);
    const auto blocks = (channels + BLOCK - 1) / BLOCK * BLOCK;
    call.multiplications =
        CountElements({isPool ? 4 : 1, in[0], blocks, depth, CountElements(kernel), size});
    spread.insert(spread.begin(), {in[0], channels});
    call.Add(std::move(spread));
    call.Add({in[0], blocks, size});
    call.Add({depth, CountElements(kernel), size});
}

void
Reduce(OperatorCall& call)
{
    const auto& shape = call.In().shape;
    const bool isIndex = call.node.operation.starts_with("Arg");
    const Shape index{call.Integer("axis", 0)};
    const auto* axes = isIndex ? &index : call.Listed("axes", 1);
    const bool reducesAll = call.Integer("noop_with_empty_axes", 0) == 0;
    const auto isReduced = axes && !axes->empty() ? call.Mark(*axes, shape.size())
                                                  : std::vector<bool>(shape.size(), reducesAll);
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

void
PoolAll(OperatorCall& call)
{
    auto shape = call.In().shape;
    std::fill(shape.begin() + std::min<std::size_t>(2, shape.size()), shape.end(), 1);
    call.Add(std::move(shape));
}

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
    call.multiplications = CountElements({in[0], in[1], ways, gates, hidden, in[2] + hidden});
    call.Add({in[0], ways, in[1], hidden});
    call.Add({ways, in[1], hidden});
    call.Add({ways, in[1], hidden});
    call.Add({in[0], in[1], ways, gates, hidden});
}

} // namespace ns3::rules
