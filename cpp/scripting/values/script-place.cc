// SPDX-License-Identifier: GPL-2.0-only

#include "script-place.h"

#include "ns3/simulator.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>

namespace ns3
{

namespace nb = nanobind;

namespace
{

std::map<const Object*, std::string> g_places; //!< Places where objects were created

} // namespace

std::string
FindPlace()
{
    const nb::object package = nb::module_::import_("defiance_zoo.scenario").attr("__path__");
    const auto own = nb::cast<std::string>(nb::object(package[0])) + "/";
    nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame.is_valid() && !frame.is_none())
    {
        const nb::object code = frame.attr("f_code");
        const nb::object file = code.attr("co_filename");
        if (!nb::cast<std::string>(file).starts_with(own))
        {
            const nb::str line("  File \"{}\", line {}, in {}\n");
            return nb::cast<std::string>(nb::object(
                line.attr("format")(file, frame.attr("f_lineno"), code.attr("co_name"))));
        }
        frame = nb::object(frame.attr("f_back"));
    }
    return "";
}

bool
IsBetweenFunctions()
{
    auto* const frame = PyEval_GetFrame();
    if (!frame)
    {
        return true;
    }
    const nb::object file =
        nb::borrow(reinterpret_cast<PyObject*>(frame)).attr("f_code").attr("co_filename");
    const nb::object runner = nb::module_::import_("defiance_zoo.scenario.simulation");
    return file.equal(runner.attr("__file__"));
}

void
NotePlace(Ptr<Object> object)
{
    if (g_places.empty())
    {
        Simulator::ScheduleDestroy([] { g_places.clear(); });
    }
    g_places[PeekPointer(object)] = FindPlace();
}

std::string
GetPlace(Ptr<const Object> object)
{
    const auto found = g_places.find(PeekPointer(object));
    return found == g_places.end() ? "" : found->second;
}

} // namespace ns3
