// SPDX-License-Identifier: GPL-2.0-only

#include "gym-values.h"

#include "ns3/opengym-containers.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <type_traits>

namespace ns3
{

namespace
{

/**
 * @tparam T Type of elements.
 * @param data The first element.
 * @param shape Lengths of the axes.
 * @param axis The outermost axis.
 * @return a list of the elements, or the element of a scalar
 */
template <typename T>
nb::object
MakeList(const T*& data, const std::vector<uint32_t>& shape, std::size_t axis)
{
    if (axis == shape.size())
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            return nb::float_(static_cast<double>(*data++));
        }
        else
        {
            return nb::int_(*data++);
        }
    }
    nb::list list;
    for (uint32_t i = 0; i < shape[axis]; ++i)
    {
        list.append(MakeList(data, shape, axis + 1));
    }
    return list;
}

/**
 * @param array An array.
 * @return its elements in lists (of lists), or the element of a scalar
 */
nb::object
ToLists(const OpenGymTensorContainer& array)
{
    return VisitDtype(array.GetDtype(), [&](auto type) {
        using T = typename decltype(type)::type;
        const auto* data = static_cast<const T*>(array.GetRawData());
        return MakeList(data, array.GetShape(), 0);
    });
}

/**
 * @param array An array.
 * @return a copy of the array, owned by NumPy
 */
nb::object
ToNumpy(const OpenGymTensorContainer& array)
{
    return VisitDtype(array.GetDtype(), [&](auto type) {
        using T = typename decltype(type)::type;
        auto* const copy = new T[array.GetSize()];
        const nb::capsule owner(copy, [](void* data) noexcept { delete[] static_cast<T*>(data); });
        const auto* data = static_cast<const T*>(array.GetRawData());
        std::copy(data, data + array.GetSize(), copy);
        const std::vector<std::size_t> shape(array.GetShape().begin(), array.GetShape().end());
        return nb::cast(nb::ndarray<nb::numpy, T>(copy, shape.size(), shape.data(), owner));
    });
}

/**
 * @param container A container, or null.
 * @param convert Converts the arrays in it.
 * @return its value: an int, a str, a tuple, a dict, a converted array; None
 */
nb::object
ToValue(const OpenGymDataContainer* container,
        nb::object (*convert)(const OpenGymTensorContainer& array))
{
    if (!container)
    {
        return nb::none();
    }
    if (const auto* discrete = dynamic_cast<const OpenGymDiscreteContainer*>(container))
    {
        return nb::int_(discrete->GetValue());
    }
    if (const auto* array = dynamic_cast<const OpenGymTensorContainer*>(container))
    {
        return convert(*array);
    }
    if (const auto* dict = dynamic_cast<const OpenGymDictContainer*>(container))
    {
        nb::dict made;
        for (const auto& [key, value] : dict->GetEntries())
        {
            made[key.c_str()] = ToValue(PeekPointer(value), convert);
        }
        return made;
    }
    if (const auto* text = dynamic_cast<const OpenGymTextContainer*>(container))
    {
        return nb::cast(text->GetValue());
    }
    const auto* tuple = dynamic_cast<const OpenGymTupleContainer*>(container);
    nb::list made;
    for (uint32_t i = 0; tuple && i < tuple->GetSize(); ++i)
    {
        made.append(ToValue(PeekPointer(tuple->Get(i)), convert));
    }
    return nb::tuple(made);
}

} // namespace

nb::object
FromContainer(Ptr<const OpenGymDataContainer> container)
{
    return ToValue(PeekPointer(container), &ToLists);
}

nb::object
FromAction(Ptr<const OpenGymDataContainer> action)
{
    return ToValue(PeekPointer(action), &ToNumpy);
}

} // namespace ns3
