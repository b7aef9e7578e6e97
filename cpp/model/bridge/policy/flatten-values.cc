// SPDX-License-Identifier: GPL-2.0-only

#include "flatten-values.h"

#include "opengym-codec.h"

#include "ns3/abort.h"
#include "ns3/opengym-builders.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/**
 * @tparam T Expected class of container.
 * @param space The space of the container.
 * @param value A container.
 * @return the container; abort when it is of another class
 */
template <typename T>
const T&
Expect(const OpenGymSpace& space, const OpenGymDataContainer& value)
{
    const auto* container = dynamic_cast<const T*>(&value);
    NS_ABORT_MSG_IF(!container,
                    "An observation is " << Ptr<const OpenGymDataContainer>(&value)
                                         << ", which is not of its space "
                                         << Ptr<const OpenGymSpace>(&space));
    return *container;
}

/**
 * @param space The space of the array.
 * @param shape The expected shape.
 * @param value A container.
 * @return the array; abort when the container is not an array or has another shape
 */
const OpenGymTensorContainer&
ExpectTensor(const OpenGymSpace& space,
             const std::vector<uint32_t>& shape,
             const OpenGymDataContainer& value)
{
    const auto& tensor = Expect<OpenGymTensorContainer>(space, value);
    NS_ABORT_MSG_IF(tensor.GetShape() != shape || !tensor.IsComplete(),
                    "An observation has " << tensor.GetSize() << " numbers, or not the shape of "
                                          << Ptr<const OpenGymSpace>(&space));
    return tensor;
}

/**
 * Write the numbers of an array.
 *
 * @param tensor The array.
 * @param flat Vector to extend.
 */
void
AppendNumbers(const OpenGymTensorContainer& tensor, std::vector<float>& flat)
{
    for (std::size_t i = 0; i < tensor.GetSize(); ++i)
    {
        flat.push_back(static_cast<float>(tensor.GetAsDouble(i)));
    }
}

/**
 * Write an integer as numbers, one of which is 1.
 *
 * @param position Index of the 1; abort when it is out of range.
 * @param count Number of numbers.
 * @param flat Vector to extend.
 */
void
AppendOneHot(int64_t position, int64_t count, std::vector<float>& flat)
{
    NS_ABORT_MSG_IF(position < 0 || position >= count,
                    "An observation is number " << position << " of " << count);
    flat.resize(flat.size() + count, 0);
    flat[flat.size() - count + position] = 1;
}

} // namespace

std::optional<std::size_t>
GetFlatSize(const OpenGymSpace& space)
{
    using Size = std::optional<std::size_t>;
    const auto sum = [](Size one, Size other) {
        return one && other ? Size(*one + *other) : std::nullopt;
    };
    return VisitSpace(
        space,
        Overloaded{
            [](const OpenGymTensorSpace& tensor) -> Size { return tensor.GetFlatSize(); },
            [](const OpenGymDiscreteSpace& discrete) -> Size { return discrete.GetN(); },
            [](const OpenGymMultiDiscreteSpace& multi) -> Size {
                const auto& numbers = multi.GetNvec()->GetData();
                return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
            },
            [](const OpenGymTextSpace&) -> Size { return std::nullopt; },
            [&](const OpenGymTupleSpace& tuple) {
                Size size = 0;
                for (uint32_t i = 0; i < tuple.GetSize(); ++i)
                {
                    size = sum(size, GetFlatSize(*tuple.Get(i)));
                }
                return size;
            },
            [&](const OpenGymDictSpace& dict) {
                Size size = 0;
                for (const auto& [key, entry] : dict.GetEntries())
                {
                    size = sum(size, GetFlatSize(*entry));
                }
                return size;
            },
        });
}

void
AppendFlat(const OpenGymSpace& space, const OpenGymDataContainer& value, std::vector<float>& flat)
{
    VisitSpace(
        space,
        Overloaded{
            [&](const OpenGymTensorSpace& tensor) {
                AppendNumbers(ExpectTensor(space, tensor.GetShape(), value), flat);
            },
            [&](const OpenGymDiscreteSpace& discrete) {
                const auto number = Expect<OpenGymDiscreteContainer>(space, value).GetValue();
                AppendOneHot(number - discrete.GetStart(), discrete.GetN(), flat);
            },
            [&](const OpenGymMultiDiscreteSpace& multi) {
                ExpectTensor(space, multi.GetShape(), value);
                const auto& numbers = Expect<OpenGymMultiDiscreteContainer>(space, value);
                for (std::size_t i = 0; i < numbers.GetSize(); ++i)
                {
                    AppendOneHot(numbers.GetValue(i) - multi.GetStart()->GetValue(i),
                                 multi.GetNvec()->GetValue(i),
                                 flat);
                }
            },
            [](const OpenGymTextSpace&) {},
            [&](const OpenGymTupleSpace& tuple) {
                const auto& values = Expect<OpenGymTupleContainer>(space, value);
                for (uint32_t i = 0; i < tuple.GetSize(); ++i)
                {
                    const auto element = values.Get(i);
                    NS_ABORT_MSG_IF(!element,
                                    "An observation lacks element " << i << " of its tuple");
                    AppendFlat(*tuple.Get(i), *element, flat);
                }
            },
            [&](const OpenGymDictSpace& dict) {
                const auto& values = Expect<OpenGymDictContainer>(space, value);
                for (const auto& [key, entry] : dict.GetEntries())
                {
                    const auto element = values.Get(key);
                    NS_ABORT_MSG_IF(!element, "An observation lacks '" << key << "' of its dict");
                    AppendFlat(*entry, *element, flat);
                }
            },
        });
}

std::optional<std::size_t>
GetActionSize(const OpenGymSpace& space)
{
    using Size = std::optional<std::size_t>;
    return VisitSpace(
        space,
        Overloaded{
            [](const OpenGymSpace&) -> Size { return std::nullopt; },
            [](const OpenGymDiscreteSpace&) -> Size { return 1; },
            [](const OpenGymTensorSpace& tensor) -> Size { return tensor.GetFlatSize(); },
            [](const OpenGymBoxSpace& box) {
                const auto dtype = box.GetDtype();
                const bool real = dtype == OpenGymDtype::FLOAT32 || dtype == OpenGymDtype::FLOAT64;
                return real ? Size(box.GetFlatSize()) : std::nullopt;
            },
        });
}

namespace
{

/**
 * @tparam T Class of the container.
 * @param shape Lengths of the axes.
 * @param numbers Elements of the container.
 * @return the container
 */
template <typename T>
Ptr<OpenGymDataContainer>
MakeTensor(const std::vector<uint32_t>& shape, const std::vector<double>& numbers)
{
    auto tensor = CreateObject<T>(shape);
    for (const auto number : numbers)
    {
        tensor->AddValue(number);
    }
    return tensor;
}

/**
 * @param bounds One bound for all elements, or one per element.
 * @param index Position of an element.
 * @return the bound of the element
 */
double
GetBound(const OpenGymBoxContainerBase& bounds, std::size_t index)
{
    return bounds.GetAsDouble(bounds.GetSize() == 1 ? 0 : index);
}

/**
 * @param space A space.
 * @param numbers Elements of a value.
 * @return the value, each element within its bounds
 */
Ptr<OpenGymDataContainer>
MakeBox(const OpenGymBoxSpace& space, std::vector<double> numbers)
{
    for (std::size_t i = 0; i < numbers.size(); ++i)
    {
        numbers[i] =
            std::clamp(numbers[i], GetBound(*space.GetLow(), i), GetBound(*space.GetHigh(), i));
    }
    return VisitDtype(space.GetDtype(), [&](auto type) {
        return MakeTensor<OpenGymBoxContainer<typename decltype(type)::type>>(space.GetShape(),
                                                                              numbers);
    });
}

} // namespace

Ptr<OpenGymDataContainer>
MakeAction(const OpenGymSpace& space, const std::vector<double>& numbers)
{
    using Action = Ptr<OpenGymDataContainer>;
    return VisitSpace(
        space,
        Overloaded{
            [](const OpenGymSpace&) { return Action(); },
            [&](const OpenGymDiscreteSpace&) -> Action {
                return MakeDiscreteContainer(static_cast<int64_t>(numbers[0]));
            },
            [&](const OpenGymMultiDiscreteSpace& multi) {
                return MakeTensor<OpenGymMultiDiscreteContainer>(multi.GetShape(), numbers);
            },
            [&](const OpenGymMultiBinarySpace& binary) {
                return MakeTensor<OpenGymMultiBinaryContainer>(binary.GetShape(), numbers);
            },
            [&](const OpenGymBoxSpace& box) { return MakeBox(box, numbers); },
        });
}

} // namespace ns3
