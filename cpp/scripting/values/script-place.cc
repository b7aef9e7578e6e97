// SPDX-License-Identifier: GPL-2.0-only

#include "script-place.h"

#include "ns3/simulator.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

namespace
{

std::map<const Object*, std::string> g_places; //!< Places where objects were created

/** A line of the scenario's code. */
struct Line
{
    nb::object code; //!< The function; invalid: there is none
    int number{0};   //!< Number of the line
};

/** A value that a line gave to an attribute. */
struct Setting
{
    Line line;             //!< The line
    std::string attribute; //!< Class and name of the attribute
    nb::object value;      //!< The value
};

/** The last settings, a line and attribute each, the latest at the end; never destroyed, as Python
 * ends first. */
auto& g_settings = *new std::list<Setting>;
struct sigaction g_divide;                //!< The handler of divisions by zero
constexpr std::size_t MOST_SETTINGS = 32; //!< Length of g_settings
constexpr std::size_t MOST_SHOWN = 6;     //!< Number of lines in a message

/** @return the line of the scenario's code that Python runs now */
Line
FindLine()
{
    static const auto& own =
        *new std::string(nb::cast<std::string>(nb::object(
                             nb::module_::import_("defiance_zoo.scenario").attr("__path__")[0])) +
                         "/");
    nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
    while (frame.is_valid() && !frame.is_none())
    {
        nb::object code = frame.attr("f_code");
        if (!nb::cast<std::string>(nb::object(code.attr("co_filename"))).starts_with(own))
        {
            return {std::move(code), nb::cast<int>(nb::object(frame.attr("f_lineno")))};
        }
        frame = nb::object(frame.attr("f_back"));
    }
    return {};
}

/**
 * @param line A line.
 * @return its place as in a traceback
 */
std::string
Format(const Line& line)
{
    const nb::str format("  File \"{}\", line {}, in {}\n");
    return nb::cast<std::string>(nb::object(format.attr(
        "format")(line.code.attr("co_filename"), line.number, line.code.attr("co_name"))));
}

/** Show the last settings at a division by zero; the next attempt has the handler before this one.
 */
void
ShowAndDivide(int /* signal */)
{
    std::cerr << DescribeSettings() << std::flush;
    sigaction(SIGFPE, &g_divide, nullptr);
}

} // namespace

std::string
FindPlace()
{
    const auto line = FindLine();
    return line.code.is_valid() ? Format(line) : "";
}

std::string
DescribeSettings()
{
    if (!IsBetweenFunctions())
    {
        return "";
    }
    std::vector<std::string> zeros;
    std::vector<std::string> others;
    for (auto each = g_settings.rbegin(); each != g_settings.rend(); ++each)
    {
        const auto text = nb::cast<std::string>(nb::repr(each->value));
        const bool isZero = text.find('0') != std::string::npos &&
                            text.find_first_of("123456789") == std::string::npos;
        (isZero ? zeros : others)
            .push_back(Format(each->line) + "    " + each->attribute + " = " + text + "\n");
    }
    zeros.insert(zeros.end(), others.begin(), others.end());
    zeros.resize(std::min(zeros.size(), MOST_SHOWN));
    return std::accumulate(
        zeros.begin(),
        zeros.end(),
        std::string(zeros.empty() ? "" : "The cause may be an attribute that was set here:\n"));
}

void
NoteSetting(const std::string& attribute, nb::handle value)
{
    auto line = FindLine();
    if (!line.code.is_valid())
    {
        return;
    }
    if (g_settings.empty())
    {
        struct sigaction action
        {
        };

        action.sa_handler = &ShowAndDivide;
        sigaction(SIGFPE, &action, &g_divide);
    }
    g_settings.remove_if([&](const Setting& each) {
        return each.line.number == line.number && each.line.code.is(line.code) &&
               each.attribute == attribute;
    });
    g_settings.push_back({std::move(line), attribute, nb::borrow(value)});
    if (g_settings.size() > MOST_SETTINGS)
    {
        g_settings.pop_front();
    }
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
