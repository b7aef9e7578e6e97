// SPDX-License-Identifier: GPL-2.0-only

#include "gym-values.h"

#include "gym-numbers.h"

#include "ns3/opengym-builders.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <sstream>

namespace ns3
{

namespace
{

/**
 * @param what The fault of a value.
 * @param value The value.
 * @param space The expected space.
 */
[[noreturn]] void
RaiseNotOf(const std::string& what, nb::handle value, Ptr<OpenGymSpace> space)
{
    std::ostringstream text;
    text << nb::cast<std::string>(nb::repr(value)) << what << ": it should be of " << space;
    RaiseValueError(text.str());
}

/**
 * @param list A list or a similar sequence.
 * @return the length of the list
 */
Py_ssize_t
CountItems(PyObject* list)
{
    const auto length = PySequence_Size(list);
    if (length == -1)
    {
        throw nb::python_error();
    }
    return length;
}

/**
 * @param list A list or a similar sequence.
 * @param index Index of the item.
 * @return the item; raise the error of classes with names instead of positions
 */
nb::object
GetItem(PyObject* list, Py_ssize_t index)
{
    auto item = nb::steal(PySequence_GetItem(list, index));
    if (!item.is_valid())
    {
        throw nb::python_error();
    }
    return item;
}

/**
 * @tparam T Type of elements.
 * @param value An array, or a list of numbers.
 * @param shape Shape of the value.
 * @return the value as a box
 */
template <typename T>
Ptr<OpenGymDataContainer>
MakeBox(nb::handle value, std::vector<uint32_t> shape)
{
    std::vector<T> numbers;
    AppendNumbers(value.ptr(), numbers);
    auto box = MakeEmptyContainer<OpenGymBoxContainer<T>>();
    if (!box->Assign(std::move(shape), std::move(numbers)))
    {
        RaiseValueError("an array's number of elements does not fit its shape");
    }
    return box;
}

/**
 * @param value A list of numbers, or of lists.
 * @return whether it contains no float
 */
bool
HasIntegersOnly(PyObject* value)
{
    if (!IsList(value))
    {
        return IsInteger(value);
    }
    const auto length = CountItems(value);
    for (Py_ssize_t i = 0; i < length; ++i)
    {
        if (!HasIntegersOnly(GetItem(value, i).ptr()))
        {
            return false;
        }
    }
    return length > 0;
}

/**
 * @param value A list of integers.
 * @param shape Shape of the value.
 * @return the list as a box of int64, or of uint64 for larger integers
 */
Ptr<OpenGymDataContainer>
MakeIntegerBox(nb::handle value, const std::vector<uint32_t>& shape)
{
    try
    {
        return MakeBox<int64_t>(value, shape);
    }
    catch (nb::python_error& error)
    {
        if (!error.matches(PyExc_OverflowError))
        {
            throw;
        }
    }
    return MakeBox<uint64_t>(value, shape);
}

/**
 * @param value An array, or a list of numbers.
 * @return the value as a box, whose element type follows from the value's
 */
Ptr<OpenGymDataContainer>
ToBox(nb::handle value)
{
    const auto shape = FindShape(value.ptr());
    if (!IsArray(value.ptr()))
    {
        return HasIntegersOnly(value.ptr()) ? MakeIntegerBox(value, shape)
                                            : MakeBox<double>(value, shape);
    }
    const auto dtype = ArrayView(value.ptr()).GetDtype();
    if (!dtype)
    {
        Raise(nb::type_error, "an array has elements that are not numbers");
    }
    return VisitDtype(*dtype, [&](auto type) {
        return MakeBox<typename decltype(type)::type>(value, shape);
    });
}

/**
 * @tparam Container Class of arrays.
 * @param value An array, or a list of numbers.
 * @param shape The expected shape.
 * @param space The expected space; raise ValueError if the shape or an element does not fit.
 * @return the container
 */
template <typename Container>
Ptr<OpenGymDataContainer>
MakeArray(nb::handle value, const std::vector<uint32_t>& shape, Ptr<OpenGymSpace> space)
{
    const auto given = FindShape(value.ptr());
    const auto isOne = [](const auto& axes) {
        return axes.empty() || (axes.size() == 1 && axes[0] == 1);
    };
    if (given != shape && !(isOne(given) && isOne(shape)))
    {
        RaiseNotOf(" has shape " + FormatShape(given) + " in place of " + FormatShape(shape),
                   value,
                   space);
    }
    using Element = std::decay_t<decltype(std::declval<Container>().GetData().front())>;
    std::vector<Element> numbers;
    AppendNumbers(value.ptr(), numbers);
    auto container = MakeEmptyContainer<Container>();
    if (!container->Assign(shape, std::move(numbers)))
    {
        RaiseNotOf(" has elements that are not allowed", value, space);
    }
    return container;
}

/**
 * @param value A dict.
 * @param space The expected space.
 * @return the container
 */
Ptr<OpenGymDataContainer>
MakeDict(nb::handle value, Ptr<OpenGymDictSpace> space)
{
    if (!PyDict_Check(value.ptr()))
    {
        RaiseNotOf(" is not a dict", value, space);
    }
    auto dict = MakeEmptyContainer<OpenGymDictContainer>();
    for (const auto& [key, item] : nb::cast<nb::dict>(value))
    {
        const auto name = ToPlainText(key);
        const auto inner = space->Get(name);
        if (!inner)
        {
            RaiseNotOf(" has an entry '" + name + "'", value, space);
        }
        dict->Add(name, ToContainer(item, inner));
    }
    return dict;
}

/**
 * @param value A tuple.
 * @param space The expected space.
 * @return the container
 */
Ptr<OpenGymDataContainer>
MakeTuple(nb::handle value, Ptr<OpenGymTupleSpace> space)
{
    auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
    uint32_t i = 0;
    for (const auto item : nb::cast<nb::object>(value))
    {
        const auto inner = space->Get(i++);
        if (!inner)
        {
            RaiseNotOf(" has too many elements", value, space);
        }
        tuple->Add(ToContainer(item, inner));
    }
    return tuple;
}

/**
 * @param value A value of an info.
 * @return the value as a text, an integer, an array or a real number
 */
OpenGymInfoValue
ToInfoValue(nb::handle value)
{
    if (PyUnicode_Check(value.ptr()))
    {
        return ToPlainText(value);
    }
    if (IsInteger(value.ptr()))
    {
        return ToNumberOf<int64_t>(value.ptr());
    }
    if (IsArray(value.ptr()) || IsList(value.ptr()))
    {
        return DynamicCast<OpenGymBoxContainerBase>(ToBox(value));
    }
    return ToNumberOf<double>(value.ptr());
}

} // namespace

std::string
ToPlainText(nb::handle value)
{
    if (!PyUnicode_Check(value.ptr()))
    {
        PyErr_Format(PyExc_TypeError, "%R is not a text", value.ptr());
        throw nb::python_error();
    }
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    if (!text)
    {
        throw nb::python_error(); // a surrogate, which no message can hold
    }
    return {text, static_cast<std::size_t>(size)};
}

std::vector<uint32_t>
FindShape(PyObject* value)
{
    if (IsArray(value))
    {
        return ArrayView(value).GetShape();
    }
    if (!IsList(value))
    {
        return {};
    }
    const auto length = CountItems(value);
    std::vector<uint32_t> shape{static_cast<uint32_t>(length)};
    for (Py_ssize_t i = 0; i < length; ++i)
    {
        const auto item = GetItem(value, i);
        if (i == 0)
        {
            const auto inner = FindShape(item.ptr());
            shape.insert(shape.end(), inner.begin(), inner.end());
        }
        else if (std::vector<uint32_t>(shape.begin() + 1, shape.end()) != FindShape(item.ptr()))
        {
            RaiseValueError("a list of numbers has rows of several lengths");
        }
    }
    return shape;
}

Ptr<OpenGymDataContainer>
ToContainer(nb::handle value)
{
    PyObject* const object = value.ptr();
    if (IsInteger(object))
    {
        return MakeDiscreteContainer(ToNumberOf<int64_t>(object));
    }
    if (PyFloat_Check(object))
    {
        return MakeBoxContainer(std::vector<double>{PyFloat_AS_DOUBLE(object)});
    }
    if (PyUnicode_Check(object))
    {
        return CreateObject<OpenGymTextContainer>(ToPlainText(value));
    }
    if (PyDict_Check(object))
    {
        auto dict = MakeEmptyContainer<OpenGymDictContainer>();
        for (const auto& [key, item] : nb::cast<nb::dict>(value))
        {
            dict->Add(ToPlainText(key), ToContainer(item));
        }
        return dict;
    }
    if (PyTuple_Check(object))
    {
        auto tuple = MakeEmptyContainer<OpenGymTupleContainer>();
        for (const auto item : nb::cast<nb::tuple>(value))
        {
            tuple->Add(ToContainer(item));
        }
        return tuple;
    }
    if (IsArray(object) || IsList(object))
    {
        return ToBox(value);
    }
    return MakeBoxContainer(std::vector<double>{ToNumberOf<double>(object)});
}

Ptr<OpenGymDataContainer>
ToContainer(nb::handle value, Ptr<OpenGymSpace> space)
{
    if (const auto box = DynamicCast<OpenGymBoxSpace>(space))
    {
        return VisitDtype(box->GetDtype(), [&](auto type) {
            using T = typename decltype(type)::type;
            return MakeArray<OpenGymBoxContainer<T>>(value, box->GetShape(), space);
        });
    }
    if (DynamicCast<OpenGymDiscreteSpace>(space))
    {
        try
        {
            return MakeDiscreteContainer(ToNumberOf<int64_t>(value.ptr()));
        }
        catch (const nb::python_error& error)
        {
            if (error.matches(PyExc_TypeError))
            {
                RaiseNotOf(" is not an integer", value, space);
            }
            throw;
        }
    }
    if (const auto multi = DynamicCast<OpenGymMultiDiscreteSpace>(space))
    {
        return MakeArray<OpenGymMultiDiscreteContainer>(value, multi->GetShape(), space);
    }
    if (const auto binary = DynamicCast<OpenGymMultiBinarySpace>(space))
    {
        return MakeArray<OpenGymMultiBinaryContainer>(value, binary->GetShape(), space);
    }
    if (DynamicCast<OpenGymTextSpace>(space))
    {
        return CreateObject<OpenGymTextContainer>(ToPlainText(value));
    }
    if (const auto dict = DynamicCast<OpenGymDictSpace>(space))
    {
        return MakeDict(value, dict);
    }
    return MakeTuple(value, DynamicCast<OpenGymTupleSpace>(space));
}

OpenGymInfo
ToInfo(nb::handle values)
{
    OpenGymInfo info;
    if (values.is_none())
    {
        return info;
    }
    for (const auto& [key, value] : nb::cast<nb::dict>(values))
    {
        const auto name = ToPlainText(key);
        try
        {
            info[name] = ToInfoValue(value);
        }
        catch (const nb::python_error&)
        {
            PyErr_Format(PyExc_TypeError,
                         "the info '%s' is %R: it should be a number of 64 bits, a text, or an "
                         "array or a list of numbers",
                         name.c_str(),
                         value.ptr());
            throw nb::python_error();
        }
    }
    return info;
}

} // namespace ns3
