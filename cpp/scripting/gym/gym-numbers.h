// SPDX-License-Identifier: GPL-2.0-only

#ifndef GYM_NUMBERS_H
#define GYM_NUMBERS_H

#include "object-handle.h"

#include "ns3/opengym-dtype.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @tparam T Type of a number.
 * @param value A number in Python.
 * @return the number; raise TypeError for other values, OverflowError for a too large number
 */
template <typename T>
T
ToNumberOf(PyObject* value)
{
    if constexpr (std::is_floating_point_v<T>)
    {
        const double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred())
        {
            throw nb::python_error();
        }
        const auto rounded = static_cast<T>(number);
        if (std::isfinite(number) && !std::isfinite(rounded))
        {
            PyErr_Format(PyExc_OverflowError, "%R is too large for its element type", value);
            throw nb::python_error();
        }
        return rounded;
    }
    else
    {
        const auto index = nb::steal(PyNumber_Index(value));
        if (!index.is_valid())
        {
            throw nb::python_error();
        }
        T number{};
        if (!nb::try_cast<T>(index, number))
        {
            PyErr_Format(PyExc_OverflowError, "%R is too large for its element type", value);
            throw nb::python_error();
        }
        return number;
    }
}

/**
 * @tparam T Type of a number.
 * @param number A number of another type.
 * @return whether a conversion keeps the number; it may round a float, but not to infinity
 */
template <typename T, typename Number>
bool
CanHold([[maybe_unused]] Number number)
{
    if constexpr (std::is_floating_point_v<T>)
    {
        return std::isfinite(static_cast<T>(number)) || !std::isfinite(static_cast<double>(number));
    }
    else if constexpr (std::is_floating_point_v<Number>)
    {
        // Unlike the largest integer, its successor is an exact floating-point number.
        return number >= static_cast<Number>(std::numeric_limits<T>::min()) &&
               number < std::ldexp(Number{1}, std::numeric_limits<T>::digits) &&
               number == std::trunc(number);
    }
    else
    {
        return std::in_range<T>(number);
    }
}

/** @return whether a value is an array with the buffer protocol, such as array.array and NumPy's */
inline bool
IsArray(PyObject* value)
{
    return PyObject_CheckBuffer(value) && !PyBytes_Check(value) && !PyByteArray_Check(value);
}

/** @return whether a value is an integer, also NumPy's, whose arrays are sequences */
inline bool
IsInteger(PyObject* value)
{
    return PyLong_Check(value) || (PyIndex_Check(value) && !PySequence_Check(value));
}

/** @return whether a value is a list or a similar sequence */
inline bool
IsList(PyObject* value)
{
    return PyList_Check(value) || PyTuple_Check(value) ||
           (PySequence_Check(value) && !PyUnicode_Check(value) && !PyBytes_Check(value) &&
            !PyDict_Check(value));
}

/**
 * @brief The memory of an array, for the lifetime of this object.
 */
class ArrayView
{
  public:
    /**
     * @param value An array; see IsArray().
     */
    explicit ArrayView(PyObject* value)
    {
        if (PyObject_GetBuffer(value, &m_buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0)
        {
            throw nb::python_error();
        }
    }

    ~ArrayView()
    {
        PyBuffer_Release(&m_buffer);
    }

    ArrayView(const ArrayView&) = delete;
    ArrayView& operator=(const ArrayView&) = delete;

    /** @return the type of the elements; nothing: no space has this type */
    std::optional<OpenGymDtype> GetDtype() const
    {
        const char* format = m_buffer.format ? m_buffer.format : "B";
        format += *format == '@' || *format == '=' || *format == '<' ? 1 : 0;
        const char code = std::strlen(format) == 1 ? *format : '\0';
        if (code == 'f' || code == 'd')
        {
            return code == 'f' ? OpenGymDtype::FLOAT32 : OpenGymDtype::FLOAT64;
        }
        const bool isSigned = code != '\0' && std::strchr("bhilq", code);
        const bool isUnsigned = code != '\0' && std::strchr("BHILQ?", code);
        if (!isSigned && !isUnsigned)
        {
            return std::nullopt;
        }
        switch (m_buffer.itemsize)
        {
        case 1:
            return isSigned ? OpenGymDtype::INT8 : OpenGymDtype::UINT8;
        case 2:
            return isSigned ? OpenGymDtype::INT16 : OpenGymDtype::UINT16;
        case 4:
            return isSigned ? OpenGymDtype::INT32 : OpenGymDtype::UINT32;
        default:
            return isSigned ? OpenGymDtype::INT64 : OpenGymDtype::UINT64;
        }
    }

    /** @return the lengths of the axes */
    std::vector<uint32_t> GetShape() const
    {
        return {m_buffer.shape, m_buffer.shape + m_buffer.ndim};
    }

    /**
     * @tparam T Type of the converted elements; raise ValueError if an element does not fit.
     * @param [in,out] numbers Vector to extend by the elements.
     */
    template <typename T>
    void AppendTo(std::vector<T>& numbers) const
    {
        const auto dtype = GetDtype();
        if (!dtype)
        {
            Raise(nb::type_error, "an array has elements that are not numbers");
        }
        VisitDtype(*dtype, [&](auto type) {
            using Element = typename decltype(type)::type;
            const auto* first = static_cast<const Element*>(m_buffer.buf);
            const auto* end = first + m_buffer.len / m_buffer.itemsize;
            if (!std::is_same_v<T, Element> && !std::all_of(first, end, &CanHold<T, Element>))
            {
                RaiseValueError("an array has elements that are not of the element type");
            }
            numbers.insert(numbers.end(), first, end);
        });
    }

  private:
    Py_buffer m_buffer{}; //!< The memory
};

/**
 * @tparam T Type of the numbers.
 * @param value A number, an array, or a list of numbers and arrays.
 * @param [in,out] numbers Vector to extend by its numbers, in C order.
 */
template <typename T>
void
AppendNumbers(PyObject* value, std::vector<T>& numbers)
{
    if (PyFloat_Check(value) || PyLong_Check(value))
    {
        numbers.push_back(ToNumberOf<T>(value));
    }
    else if (IsArray(value))
    {
        ArrayView(value).AppendTo(numbers);
    }
    else if (IsList(value))
    {
        const auto list = nb::steal(PySequence_Fast(value, "a list of numbers is needed"));
        if (!list.is_valid())
        {
            throw nb::python_error();
        }
        const auto size = PySequence_Fast_GET_SIZE(list.ptr());
        for (Py_ssize_t i = 0; i < size; ++i)
        {
            AppendNumbers(PySequence_Fast_GET_ITEM(list.ptr(), i), numbers);
        }
    }
    else
    {
        numbers.push_back(ToNumberOf<T>(value));
    }
}

} // namespace ns3

#endif /* GYM_NUMBERS_H */
