// SPDX-License-Identifier: GPL-2.0-only

#include "gym-numbers.h"
#include "gym-values.h"
#include "object-handle.h"
#include "simple-values.h"

#include "ns3/opengym-builders.h"
#include "ns3/opengym-tensor-container.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

using Shape = std::vector<uint32_t>; //!< Lengths of axes

/**
 * @tparam T Type of elements.
 * @param bounds Lower or upper bounds.
 * @return the bounds; those beyond what an integer type holds become its own
 */
template <typename T>
std::vector<T>
ToBounds(nb::handle bounds)
{
    std::vector<T> made;
    if constexpr (std::is_integral_v<T>)
    {
        std::vector<double> numbers;
        AppendNumbers(bounds.ptr(), numbers);
        for (const auto number : numbers)
        {
            if (std::isnan(number))
            {
                throw nb::value_error("NaN is no bound of integers");
            }
            constexpr auto least = std::numeric_limits<T>::min();
            constexpr auto largest = std::numeric_limits<T>::max();
            made.push_back(number <= static_cast<double>(least)     ? least
                           : number >= static_cast<double>(largest) ? largest
                                                                    : static_cast<T>(number));
        }
    }
    else
    {
        AppendNumbers(bounds.ptr(), made);
    }
    return made;
}

/**
 * @tparam T Type of elements.
 * @param low Lower bounds.
 * @param high Upper bounds.
 * @param size Number of elements; raise ValueError if these are no bounds of so many.
 */
template <typename T>
void
CheckBounds(const std::vector<T>& low, const std::vector<T>& high, std::size_t size)
{
    for (const auto* bounds : {&low, &high})
    {
        if (bounds->size() != 1 && bounds->size() != size)
        {
            throw nb::value_error(("a Box of " + std::to_string(size) +
                                   " elements has one bound, or one of each, and not " +
                                   std::to_string(bounds->size()))
                                      .c_str());
        }
    }
    for (std::size_t i = 0; i < std::max(low.size(), high.size()); ++i)
    {
        const auto least = low[low.size() > 1 ? i : 0];
        const auto largest = high[high.size() > 1 ? i : 0];
        if (!(least <= largest)) // NaN is not, either
        {
            std::ostringstream text;
            text << "element " << i << " of a Box cannot be from " << +least << " to " << +largest;
            throw nb::value_error(text.str().c_str());
        }
    }
}

/**
 * @param lengths Lengths of axes, in Python.
 * @return them; raise ValueError if there are none, or of too many elements
 */
Shape
ToShape(nb::handle lengths)
{
    Shape shape;
    if (nb::isinstance<nb::list>(lengths) || nb::isinstance<nb::tuple>(lengths))
    {
        for (const auto each : nb::cast<nb::object>(lengths))
        {
            const auto length = ToInteger(each);
            if (length < 0 || length > std::numeric_limits<uint32_t>::max())
            {
                shape.clear();
                break;
            }
            shape.push_back(static_cast<uint32_t>(length));
        }
        if (shape.size() == nb::len(lengths) && GetElementCount(shape))
        {
            return shape;
        }
    }
    throw nb::value_error(
        (Describe(lengths) + " is no shape, which are the lengths of axes, such as (3, 4)")
            .c_str());
}

/**
 * @param low Lower bounds: one, or one for each element.
 * @param high Upper bounds, as many.
 * @param shape Lengths of the axes.
 * @param name Name of the element type.
 * @return the space
 */
Ptr<OpenGymSpace>
MakeBoxOf(nb::handle low, nb::handle high, const Shape& shape, const std::string& name)
{
    const auto dtype = FindDtype(name);
    if (!dtype)
    {
        throw nb::value_error(
            ("'" + name + "' is no element type, such as 'float32', 'int64' or 'uint8'").c_str());
    }
    return VisitDtype(*dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto least = ToBounds<T>(low);
        const auto largest = ToBounds<T>(high);
        CheckBounds(least, largest, *GetElementCount(shape));
        return Ptr<OpenGymSpace>(OpenGymBoxSpace::Create<T>(least, largest, shape));
    });
}

/**
 * @param numbers Integers.
 * @param shape Lengths of the axes.
 * @return them in a container
 */
Ptr<const OpenGymMultiDiscreteContainer>
MakeIntegersOf(nb::handle numbers, const Shape& shape)
{
    std::vector<int64_t> values;
    AppendNumbers(numbers.ptr(), values);
    auto container = MakeEmptyContainer<OpenGymMultiDiscreteContainer>();
    if (!container->Assign(shape, std::move(values)))
    {
        throw nb::value_error("a space has another number of elements than its shape says");
    }
    return container;
}

/**
 * @param handle What Python holds of a space.
 * @return the space
 */
Ptr<OpenGymSpace>
UnwrapSpace(nb::handle handle)
{
    return Unwrap<OpenGymSpace>(nb::cast<ObjectHandle&>(handle));
}

} // namespace

Ptr<OpenGymSpace>
MakeSpace(const std::string& kind, const nb::tuple& arguments)
{
    const auto at = [&](std::size_t i) { return nb::object(arguments[i]); };
    if (kind == "Box")
    {
        return MakeBoxOf(at(0), at(1), ToShape(at(2)), nb::cast<std::string>(at(3)));
    }
    if (kind == "Discrete")
    {
        return MakeDiscreteSpace(nb::cast<int64_t>(at(0)), nb::cast<int64_t>(at(1)));
    }
    if (kind == "MultiDiscrete")
    {
        const auto shape = ToShape(at(2));
        return CreateObject<OpenGymMultiDiscreteSpace>(MakeIntegersOf(at(0), shape),
                                                       MakeIntegersOf(at(1), shape));
    }
    if (kind == "MultiBinary")
    {
        return CreateObject<OpenGymMultiBinarySpace>(ToShape(at(0)));
    }
    if (kind == "Text")
    {
        return CreateObject<OpenGymTextSpace>(nb::cast<uint64_t>(at(0)),
                                              nb::cast<uint64_t>(at(1)),
                                              nb::cast<std::string>(at(2)));
    }
    if (kind == "Dict")
    {
        auto dict = CreateObject<OpenGymDictSpace>();
        for (const auto& [key, space] : nb::cast<nb::dict>(at(0)))
        {
            dict->Add(nb::cast<std::string>(key), UnwrapSpace(space));
        }
        return dict;
    }
    auto tuple = CreateObject<OpenGymTupleSpace>();
    for (const auto space : nb::cast<nb::list>(at(0)))
    {
        tuple->Add(UnwrapSpace(space));
    }
    return tuple;
}

} // namespace ns3
