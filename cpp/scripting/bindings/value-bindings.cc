// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "simple-values.h"

#include "ns3/rl-parameter.h"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include <cmath>

namespace ns3
{

namespace
{

/**
 * @tparam T Time or DataRate.
 * @param bound Its class in Python, to extend by comparisons, text and hash.
 * @param name Name of the class.
 * @param read Converts the other side of a comparison, such as a number or a text.
 */
template <typename T>
void
BindAsValue(nb::class_<T>& bound, const char* name, T (*read)(nb::handle))
{
    bound.def("__lt__", [read](const T& a, nb::handle b) { return a < read(b); })
        .def("__le__", [read](const T& a, nb::handle b) { return a <= read(b); })
        .def("__gt__", [read](const T& a, nb::handle b) { return a > read(b); })
        .def("__ge__", [read](const T& a, nb::handle b) { return a >= read(b); })
        .def(
            "__eq__",
            [read](const T& a, nb::handle b) {
                try
                {
                    return a == read(b);
                }
                catch (const std::exception&) // it is no such value
                {
                    return false;
                }
            },
            nb::is_operator())
        .def("__str__", [](const T& value) { return FormatText(value); })
        .def("__hash__", [](const T& value) { return std::hash<std::string>()(FormatText(value)); })
        .def("__repr__", [name = std::string(name)](const T& value) {
            return name + "('" + FormatText(value) + "')";
        });
}

/// Raise ZeroDivisionError on a division by zero. @param isZero Whether the divisor is zero
void
RefuseZero(bool isZero)
{
    if (isZero)
    {
        PyErr_SetString(PyExc_ZeroDivisionError, "division by zero");
        throw nb::python_error();
    }
}

/**
 * @param time A time.
 * @param factor The factor.
 * @return the product; raise ValueError if it is not a time
 */
Time
Multiply(const Time& time, double factor)
{
    if (!(std::abs(factor) < 0x1p63 &&
          std::abs(time.GetSeconds() * factor) < Time::Max().GetSeconds()))
    {
        RaiseValueError("a product is not a time, or is too long");
    }
    return time * factor;
}

/**
 * @param time A time.
 * @param factor The factor.
 * @return the product; raise OverflowError if it is too large
 */
Time
MultiplyExactly(const Time& time, int64_t factor)
{
    int64_t product = 0;
    if (__builtin_mul_overflow(time.GetTimeStep(), factor, &product))
    {
        PyErr_SetString(PyExc_OverflowError, "a product is too long for a time");
        throw nb::python_error();
    }
    return TimeStep(product);
}

/**
 * @param time A time.
 * @param divisor The divisor.
 * @return the quotient; raise ValueError if it is not a time
 */
Time
Divide(const Time& time, double divisor)
{
    RefuseZero(std::abs(divisor) < 0x1p-60); // ns-3's fixed-point numbers have 64 bits
    if (!(std::abs(divisor) < 0x1p63 &&
          std::abs(time.GetSeconds() / divisor) < Time::Max().GetSeconds()))
    {
        RaiseValueError("a quotient is not a time, or is too long");
    }
    return time / divisor;
}

/**
 * @param rate A data rate.
 * @param factor The factor.
 * @return the product; raise ValueError if it is not a data rate
 */
DataRate
Multiply(const DataRate& rate, double factor)
{
    if (!(factor >= 0 && static_cast<double>(rate.GetBitRate()) * factor < 0x1p64))
    {
        RaiseValueError("a product is not a data rate, or is too large");
    }
    return rate * factor;
}

/**
 * @param rate A data rate.
 * @param less The subtrahend.
 * @return the difference; raise ValueError if it is negative
 */
DataRate
Subtract(const DataRate& rate, const DataRate& less)
{
    if (less > rate)
    {
        RaiseValueError("a data rate cannot be negative");
    }
    return rate - less;
}

/// @param module Module of the class.
void
BindTime(nb::module_& module)
{
    nb::class_<Time> bound(module, "Time", "An ns-3 time: a whole number of nanoseconds.");
    bound
        .def(
            "__init__",
            [](Time* self, nb::handle value) { new (self) Time(ToTime(value)); },
            nb::arg("value").none(),
            "Make a time of a text such as \"10ms\", or of seconds.")
        .def_prop_ro("seconds", &Time::GetSeconds, "The time in seconds, a float.")
        .def_prop_ro("nanoseconds", &Time::GetNanoSeconds, "The time in nanoseconds, an int.")
        .def("__float__", &Time::GetSeconds)
        .def("__bool__", [](const Time& time) { return !time.IsZero(); })
        .def("__neg__", [](const Time& time) { return Time(0) - time; })
        .def("__add__", [](const Time& a, nb::handle b) { return a + ToTime(b); })
        .def("__radd__", [](const Time& a, nb::handle b) { return ToTime(b) + a; })
        .def("__sub__", [](const Time& a, nb::handle b) { return a - ToTime(b); })
        .def("__rsub__", [](const Time& a, nb::handle b) { return ToTime(b) - a; })
        .def("__mul__", [](const Time& a, int64_t b) { return MultiplyExactly(a, b); })
        .def("__mul__", [](const Time& a, double b) { return Multiply(a, b); })
        .def("__rmul__", [](const Time& a, int64_t b) { return MultiplyExactly(a, b); })
        .def("__rmul__", [](const Time& a, double b) { return Multiply(a, b); })
        .def("__truediv__",
             [](const Time& a, const Time& b) {
                 RefuseZero(b.IsZero());
                 return (a / b).GetDouble();
             })
        .def("__truediv__", [](const Time& a, double b) { return Divide(a, b); });
    BindAsValue(
        bound,
        "Time",
        +[](nb::handle value) { return ToTime(value); });
}

/// @param module Module of the class.
void
BindDataRate(nb::module_& module)
{
    nb::class_<DataRate> bound(module, "DataRate", "A data rate: a whole number of bits a second.");
    bound
        .def(
            "__init__",
            [](DataRate* self, nb::handle value) { new (self) DataRate(ToDataRate(value)); },
            nb::arg("value").none(),
            "Make a data rate of a text such as \"5Mbps\", or of bits per second.")
        .def_prop_ro("bps", &DataRate::GetBitRate, "The rate in bits per second, an int.")
        .def("__float__", [](const DataRate& rate) { return double(rate.GetBitRate()); })
        .def("__add__", [](const DataRate& a, nb::handle b) { return a + ToDataRate(b); })
        .def("__sub__", [](const DataRate& a, nb::handle b) { return Subtract(a, ToDataRate(b)); })
        .def("__mul__", [](const DataRate& a, double b) { return Multiply(a, b); })
        .def("__rmul__", [](const DataRate& a, double b) { return Multiply(a, b); })
        .def("__truediv__",
             [](const DataRate& a, const DataRate& b) {
                 RefuseZero(b.GetBitRate() == 0);
                 return double(a.GetBitRate()) / double(b.GetBitRate());
             })
        .def("__truediv__", [](const DataRate& a, double b) {
            RefuseZero(b == 0);
            return Multiply(a, 1 / b);
        });
    BindAsValue(
        bound,
        "DataRate",
        +[](nb::handle value) { return ToDataRate(value); });
}

} // namespace

void
BindValues(nb::module_& module)
{
    BindTime(module);
    BindDataRate(module);
}

} // namespace ns3
