// SPDX-License-Identifier: GPL-2.0-only

#include "attribute-values.h"
#include "bindings.h"

#include "ns3/rl-parameter.h"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

namespace ns3
{

namespace
{

/**
 * @tparam T Time or DataRate.
 * @param bound Its class in Python, which gets comparisons, text and hash.
 * @param name Its name.
 */
template <typename T>
void
BindAsValue(nb::class_<T>& bound, const char* name)
{
    bound.def(nb::self < nb::self)
        .def(nb::self <= nb::self)
        .def(nb::self > nb::self)
        .def(nb::self >= nb::self)
        .def(nb::self == nb::self)
        .def(nb::self != nb::self)
        .def("__str__", [](const T& value) { return FormatText(value); })
        .def("__hash__", [](const T& value) { return std::hash<std::string>()(FormatText(value)); })
        .def("__repr__", [name = std::string(name)](const T& value) {
            return name + "('" + FormatText(value) + "')";
        });
}

/// @param module Where the class is added.
void
BindTime(nb::module_& module)
{
    nb::class_<Time> bound(module, "Time", "A time of ns-3: a whole number of nanoseconds.");
    bound
        .def(
            "__init__",
            [](Time* self, nb::handle value) { new (self) Time(ToTime(value)); },
            nb::arg("value"),
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
        .def("__mul__", [](const Time& a, int64_t b) { return a * b; })
        .def("__mul__", [](const Time& a, double b) { return a * b; })
        .def("__rmul__", [](const Time& a, int64_t b) { return a * b; })
        .def("__rmul__", [](const Time& a, double b) { return a * b; })
        .def("__truediv__", [](const Time& a, const Time& b) { return (a / b).GetDouble(); })
        .def("__truediv__", [](const Time& a, double b) { return a / b; });
    BindAsValue(bound, "Time");
}

/// @param module Where the class is added.
void
BindDataRate(nb::module_& module)
{
    nb::class_<DataRate> bound(module, "DataRate", "A data rate: a whole number of bits a second.");
    bound
        .def(
            "__init__",
            [](DataRate* self, nb::handle value) { new (self) DataRate(ToDataRate(value)); },
            nb::arg("value"),
            "Make a data rate of a text such as \"5Mbps\", or of bits per second.")
        .def_prop_ro("bps", &DataRate::GetBitRate, "The rate in bits per second, an int.")
        .def("__float__", [](const DataRate& rate) { return double(rate.GetBitRate()); })
        .def("__add__", [](const DataRate& a, nb::handle b) { return a + ToDataRate(b); })
        .def("__sub__", [](const DataRate& a, nb::handle b) { return a - ToDataRate(b); })
        .def("__mul__", [](const DataRate& a, double b) { return a * b; })
        .def("__rmul__", [](const DataRate& a, double b) { return a * b; })
        .def("__truediv__",
             [](const DataRate& a, const DataRate& b) {
                 return double(a.GetBitRate()) / double(b.GetBitRate());
             })
        .def("__truediv__", [](const DataRate& a, double b) { return a * (1 / b); });
    BindAsValue(bound, "DataRate");
}

} // namespace

void
BindValues(nb::module_& module)
{
    BindTime(module);
    BindDataRate(module);
}

} // namespace ns3
