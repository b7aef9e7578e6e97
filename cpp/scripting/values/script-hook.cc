// SPDX-License-Identifier: GPL-2.0-only

#include "script-hook.h"

#include "simple-values.h"

#include "ns3/rl-simulation.h"
#include "ns3/simulator.h"

#include <nanobind/stl/string.h>

#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

std::vector<std::weak_ptr<nb::object>> g_functions; //!< The hooks of this simulation
std::size_t g_limit{1024};                          //!< Size above which unused hooks are removed

/** Release all functions, at the end of the simulation. */
void
DropAll()
{
    for (const auto& each : std::exchange(g_functions, {}))
    {
        if (const auto function = each.lock())
        {
            function->reset();
        }
    }
}

} // namespace

ScriptHook::ScriptHook(nb::object function)
{
    if (function.is_none())
    {
        return;
    }
    if (!PyCallable_Check(function.ptr()))
    {
        Raise(nb::type_error, "a hook must be a function");
    }
    m_function = std::make_shared<nb::object>(std::move(function));
    if (g_functions.empty())
    {
        Simulator::ScheduleDestroy(&DropAll);
    }
    g_functions.push_back(m_function);
    if (g_functions.size() > g_limit)
    {
        std::erase_if(g_functions, [](const auto& each) { return each.expired(); });
        g_limit = 1024 + 2 * g_functions.size();
    }
}

ScriptHook
ScriptHook::Lasting(nb::object function)
{
    ScriptHook hook;
    hook.m_function = std::make_shared<nb::object>(std::move(function));
    return hook;
}

void
ScriptHook::CallWith(PyObject* const* arguments, std::size_t count) const
{
    if (!*this)
    {
        return;
    }
    RlSimulation::RequireProgress([this] { return Locate(); });
    const nb::object function = *m_function; // the function may drop its hook
    const auto returned = nb::steal(PyObject_Vectorcall(function.ptr(), arguments, count, nullptr));
    if (!returned.is_valid())
    {
        nb::python_error error;
        Fail(error, Locate());
    }
}

void
ScriptHook::Drop()
{
    if (m_function)
    {
        m_function->reset();
    }
}

std::string
ScriptHook::Locate() const
{
    if (!*this)
    {
        return "";
    }
    try
    {
        const nb::object code = nb::getattr(*m_function, "__code__", nb::none());
        if (code.is_none())
        {
            return "  In " + nb::cast<std::string>(nb::repr(*m_function)) + "\n";
        }
        const nb::str line("  File \"{}\", line {}, in {}\n");
        return nb::cast<std::string>(line.attr(
            "format")(code.attr("co_filename"), code.attr("co_firstlineno"), code.attr("co_name")));
    }
    catch (nb::python_error&)
    {
        return ""; // functions are objects, whose attributes may raise errors
    }
}

void
ScriptHook::Fail(nb::python_error& error, const std::string& place)
{
    std::string text = "an exception that cannot be described";
    try
    {
        // There is no traceback if the error was not raised in Python.
        auto trace = error.traceback();
        const bool isTraced = trace.is_valid() && !trace.is_none();
        trace = isTraced ? trace : nb::none();
        const auto lines = nb::module_::import_("traceback")
                               .attr("format_exception")(error.type(), error.value(), trace);
        text = (isTraced ? "" : place) + nb::cast<std::string>(nb::str("").attr("join")(lines));
        if (error.matches(PyExc_SystemExit))
        {
            text += "A scenario cannot end its process: sc.stop() ends an episode\n";
        }
        if (nb::cast<std::string>(error.type().attr("__name__")) == "BdbQuit")
        {
            text += "breakpoint() needs a terminal: run 'defiance-zoo debug FILE.py'\n";
        }
    }
    catch (nb::python_error&)
    {
        // After a failure, memory may be short.
    }
    std::ostringstream when;
    when << "At " << Simulator::Now().GetSeconds() << " s of simulated time:\n";
    RlSimulation::Fail("\n" + when.str() + text);
}

} // namespace ns3
