// SPDX-License-Identifier: GPL-2.0-only

#include "gym-numbers.h"
#include "gym-values.h"
#include "object-handle.h"

#include "ns3/opengym-builders.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>

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
 * @param low Lower bounds: one, or one for each element.
 * @param high Upper bounds, as many.
 * @param shape Lengths of the axes.
 * @param dtype Name of the element type.
 * @return the space
 */
Ptr<OpenGymSpace>
MakeBoxOf(nb::handle low, nb::handle high, const Shape& shape, const std::string& dtype)
{
    return VisitDtype(ParseDtype(dtype), [&](auto type) {
        using T = typename decltype(type)::type;
        return Ptr<OpenGymSpace>(
            OpenGymBoxSpace::Create<T>(ToBounds<T>(low), ToBounds<T>(high), shape));
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
        return MakeBoxOf(at(0), at(1), nb::cast<Shape>(at(2)), nb::cast<std::string>(at(3)));
    }
    if (kind == "Discrete")
    {
        return MakeDiscreteSpace(nb::cast<int64_t>(at(0)), nb::cast<int64_t>(at(1)));
    }
    if (kind == "MultiDiscrete")
    {
        const auto shape = nb::cast<Shape>(at(2));
        return CreateObject<OpenGymMultiDiscreteSpace>(MakeIntegersOf(at(0), shape),
                                                       MakeIntegersOf(at(1), shape));
    }
    if (kind == "MultiBinary")
    {
        return CreateObject<OpenGymMultiBinarySpace>(nb::cast<Shape>(at(0)));
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
