// SPDX-License-Identifier: GPL-2.0-only

#include "bindings.h"
#include "trace-counter.h"

namespace ns3
{

namespace
{

/// @param summary The value of a counter. @return its text
const TraceSummary&
ToSummary(const TraceSummary& summary)
{
    return summary;
}

/// @param counter A counter. @return the summary since its begin
TraceSummary
ToSummary(const TraceCounter& counter)
{
    return counter.GetTotal();
}

/**
 * @param summary The value of a counter.
 * @param isThere Whether it has a value of that name.
 * @param name The name; raise AttributeError if there is no value.
 */
void
RequireContent(const TraceSummary& summary, bool isThere, const char* name)
{
    if (!isThere)
    {
        const bool isOfPackets = summary.content == TraceContent::PACKETS;
        const bool isOfEvents = summary.content == TraceContent::EVENTS;
        PyErr_Format(PyExc_AttributeError,
                     "there is no '%s' of a trace source that reports %s",
                     name,
                     isOfPackets  ? "of packets: it has 'count' and 'bytes'"
                     : isOfEvents ? "neither packets nor numbers: it has 'count'"
                                  : "a number: it has 'count', 'value', 'min', 'max' and 'mean'");
        throw nb::python_error();
    }
}

/**
 * @param summary The value of a counter.
 * @param name Name of a number in Python.
 * @param number The number.
 * @return the number in Python; raise AttributeError if the trace source reports no numbers
 */
nb::object
FromNumberOf(const TraceSummary& summary, const char* name, double number)
{
    const bool isInteger = summary.content == TraceContent::INTEGERS;
    RequireContent(summary, isInteger || summary.content == TraceContent::NUMBERS, name);
    return isInteger ? nb::object(nb::int_(static_cast<int64_t>(number)))
                     : nb::object(nb::float_(number));
}

/**
 * @tparam T The module.
 * @param bound Its class, to extend by functions of trace sources.
 */
template <typename T>
void
BindSummary(nb::class_<T>& bound)
{
    bound
        .def_prop_ro(
            "count",
            [](const T& self) { return ToSummary(self).count; },
            "The number of times that the trace source has fired.")
        .def_prop_ro(
            "bytes",
            [](const T& self) {
                const TraceSummary& summary = ToSummary(self);
                RequireContent(summary, summary.content == TraceContent::PACKETS, "bytes");
                return summary.bytes;
            },
            "Size of all packets, in bytes.")
        .def_prop_ro(
            "value",
            [](const T& self) {
                const TraceSummary& summary = ToSummary(self);
                return FromNumberOf(summary, "value", summary.value);
            },
            nb::for_getter(nb::sig("def value(self) -> int | float")),
            "The latest value; 0 until the first change.")
        .def_prop_ro(
            "min",
            [](const T& self) {
                const TraceSummary& summary = ToSummary(self);
                return FromNumberOf(summary, "min", summary.minimum);
            },
            nb::for_getter(nb::sig("def min(self) -> int | float")),
            "The least value in this time.")
        .def_prop_ro(
            "max",
            [](const T& self) {
                const TraceSummary& summary = ToSummary(self);
                return FromNumberOf(summary, "max", summary.maximum);
            },
            nb::for_getter(nb::sig("def max(self) -> int | float")),
            "The largest value in this time.")
        .def_prop_ro(
            "mean",
            [](const T& self) {
                const TraceSummary& summary = ToSummary(self);
                FromNumberOf(summary, "mean", 0);
                return summary.GetMean();
            },
            "The mean of the value over time.");
}

} // namespace

void
BindCounters(nb::module_& module)
{
    nb::class_<TraceSummary> summary(module,
                                     "Summary",
                                     "Reports of a trace source within an interval.");
    BindSummary(summary);
    nb::class_<TraceCounter> counter(module, "Counter", "Counts the reports of a trace source.");
    BindSummary(counter);
    counter.def("take", &TraceCounter::Take, "Return the reports since the last call.");
}

} // namespace ns3
