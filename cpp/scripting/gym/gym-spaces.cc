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

/// The given bounds.
enum class Side
{
    LOW,
    HIGH,
};

/**
 * @tparam T Type of integers.
 * @param bound A number in Python.
 * @param side Lower or upper bound.
 * @return the bound; a value beyond the type becomes the type's limit, a fraction is rounded into
 * the Box
 */
template <typename T>
T
ToIntegerBound(nb::handle bound, Side side)
{
    using Limits = std::numeric_limits<T>;
    if (IsInteger(bound.ptr()))
    {
        const auto integer = nb::steal<nb::int_>(PyNumber_Index(bound.ptr()));
        T number{};
        if (integer.is_valid() && nb::try_cast<T>(integer, number))
        {
            return number;
        }
        return integer.is_valid() && integer < nb::int_(0) ? Limits::min() : Limits::max();
    }
    const auto number = ToNumberOf<double>(bound.ptr());
    if (std::isnan(number))
    {
        RaiseValueError("NaN is not a bound of integers");
    }
    const auto rounded = side == Side::LOW ? std::ceil(number) : std::floor(number);
    // Unlike the largest integer, its successor is an exact floating-point number.
    if (rounded >= std::ldexp(1.0, Limits::digits))
    {
        return Limits::max();
    }
    return rounded <= static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(rounded);
}

/**
 * @tparam T Type of integers.
 * @param bounds A number, or a list of numbers or lists.
 * @param side Lower or upper bounds.
 * @param [in,out] made Vector to extend by the bounds, in C order.
 */
template <typename T>
void
AppendIntegerBounds(nb::handle bounds, Side side, std::vector<T>& made)
{
    if (!IsList(bounds.ptr()))
    {
        made.push_back(ToIntegerBound<T>(bounds, side));
        return;
    }
    for (const auto each : nb::borrow<nb::object>(bounds))
    {
        AppendIntegerBounds(each, side, made);
    }
}

/**
 * @tparam T Type of elements.
 * @param bounds Lower or upper bounds: a number, or an array of the shape.
 * @param side Lower or upper bounds.
 * @param shape Lengths of the axes.
 * @return the bounds; raise ValueError if the shape differs
 */
template <typename T>
std::vector<T>
ToBounds(nb::handle bounds, Side side, const Shape& shape)
{
    const auto given = FindShape(bounds.ptr());
    if (!given.empty() && given != shape)
    {
        RaiseValueError("a Box of shape " + FormatShape(shape) +
                        " needs one bound, or bounds of this shape, not of " + FormatShape(given));
    }
    std::vector<T> made;
    if constexpr (std::is_integral_v<T>)
    {
        AppendIntegerBounds(bounds, side, made);
    }
    else
    {
        AppendNumbers(bounds.ptr(), made);
    }
    return made;
}

/**
 * @tparam T Type of elements.
 * @param low Lower bounds: one, or one for each element.
 * @param high Upper bounds; raise ValueError if one is below its lower bound.
 */
template <typename T>
void
CheckBounds(const std::vector<T>& low, const std::vector<T>& high)
{
    for (std::size_t i = 0; i < std::max(low.size(), high.size()); ++i)
    {
        const auto least = low[low.size() > 1 ? i : 0];
        const auto largest = high[high.size() > 1 ? i : 0];
        if (!(least <= largest)) // also true for NaN
        {
            std::ostringstream text;
            text << "element " << i << " of a Box cannot be from " << +least << " to " << +largest;
            RaiseValueError(text.str());
        }
    }
}

/**
 * @param lengths Lengths of axes, in Python.
 * @return the lengths; raise ValueError if there are none, or too many elements
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
    RaiseValueError(Describe(lengths) +
                    " is not a shape: give the lengths of axes, such as (3, 4)");
}

/**
 * @param low Lower bounds: one, or one for each element.
 * @param high Upper bounds, in the same number.
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
        RaiseValueError("'" + name +
                        "' is not an element type, such as 'float32', 'int64' or 'uint8'");
    }
    return VisitDtype(*dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        const auto least = ToBounds<T>(low, Side::LOW, shape);
        const auto largest = ToBounds<T>(high, Side::HIGH, shape);
        CheckBounds(least, largest);
        return Ptr<OpenGymSpace>(OpenGymBoxSpace::Create<T>(least, largest, shape));
    });
}

/**
 * @param numbers Integers.
 * @param shape Lengths of the axes.
 * @return the integers in a container
 */
Ptr<const OpenGymMultiDiscreteContainer>
MakeIntegersOf(nb::handle numbers, const Shape& shape)
{
    std::vector<int64_t> values;
    AppendNumbers(numbers.ptr(), values);
    auto container = MakeEmptyContainer<OpenGymMultiDiscreteContainer>();
    if (FindShape(numbers.ptr()) != shape || !container->Assign(shape, std::move(values)))
    {
        RaiseValueError("nvec and start of a MultiDiscrete must have the same shape");
    }
    return container;
}

/**
 * @param handle The Python object of a space.
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
            dict->Add(ToPlainText(key), UnwrapSpace(space));
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
