// SPDX-License-Identifier: GPL-2.0-only

#include "script-parameters.h"

#include "simple-values.h"

#include <nanobind/stl/string.h>

#include <memory>

namespace ns3
{

namespace
{

/**
 * @tparam T Type of a parameter.
 * @param value A value in Python.
 * @return the value in C++
 */
template <typename T>
T
Convert(nb::handle value)
{
    if constexpr (std::is_same_v<T, Time>)
    {
        return ToTime(value);
    }
    else if constexpr (std::is_same_v<T, DataRate>)
    {
        return ToDataRate(value);
    }
    else
    {
        return nb::cast<T>(value);
    }
}

/**
 * @tparam T Type of a parameter.
 * @param values Values of all agents.
 * @return a function of the name of an agent
 */
template <typename T>
nb::object
MakeReader(std::shared_ptr<PerAgent<T>> values)
{
    return nb::cpp_function([values](const std::string& agent) { return values->Get(agent); });
}

/**
 * @tparam T Type of the parameter.
 * @param simulation The scenario.
 * @param parameter Python's declaration.
 * @return a function that reads the value
 */
template <typename T>
ParameterReader
DeclareOne(RlSimulation& simulation, const ScriptParameter& parameter)
{
    const auto value = std::make_shared<T>(Convert<T>(parameter.value));
    const auto& [name, help, initial, range, choices, perAgent] = parameter;
    if constexpr (std::is_same_v<T, std::string>)
    {
        if (!choices.empty())
        {
            simulation.AddChoice(name, help, *value, choices);
            return [value] { return nb::cast(*value); };
        }
    }
    else if constexpr (!std::is_same_v<T, bool>)
    {
        if (!range.is_none())
        {
            simulation.AddValue(name, help, *value, Convert<T>(range[0]), Convert<T>(range[1]));
            return [value] { return nb::cast(*value); };
        }
    }
    simulation.AddValue(name, help, *value);
    return [value] { return nb::cast(*value); };
}

/**
 * @tparam T Type of the parameter.
 * @param simulation The scenario.
 * @param parameter Python's declaration, with values by agent.
 * @return a function that reads the values
 */
template <typename T>
ParameterReader
DeclareForAgents(RlSimulation& simulation, const ScriptParameter& parameter)
{
    const auto values = std::make_shared<PerAgent<T>>(Convert<T>(parameter.value));
    if constexpr (std::is_same_v<T, std::string>)
    {
        simulation.AddChoicePerAgent(parameter.name, parameter.help, *values, parameter.choices);
    }
    else
    {
        simulation.AddValuePerAgent(parameter.name,
                                    parameter.help,
                                    *values,
                                    Convert<T>(parameter.range[0]),
                                    Convert<T>(parameter.range[1]));
    }
    return [values] { return MakeReader(values); };
}

/**
 * @tparam T Type of the parameter.
 * @param simulation The scenario.
 * @param parameter Python's declaration.
 * @return a function that reads the value
 */
template <typename T>
ParameterReader
DeclareAs(RlSimulation& simulation, const ScriptParameter& parameter)
{
    if constexpr (!std::is_same_v<T, bool>)
    {
        if (parameter.perAgent)
        {
            return DeclareForAgents<T>(simulation, parameter);
        }
    }
    return DeclareOne<T>(simulation, parameter);
}

} // namespace

ParameterReader
DeclareParameter(RlSimulation& simulation, const ScriptParameter& parameter)
{
    PyObject* const value = parameter.value.ptr();
    if (PyBool_Check(value))
    {
        return DeclareAs<bool>(simulation, parameter);
    }
    if (PyLong_Check(value))
    {
        return DeclareAs<int64_t>(simulation, parameter);
    }
    if (PyFloat_Check(value))
    {
        return DeclareAs<double>(simulation, parameter);
    }
    if (nb::isinstance<Time>(parameter.value))
    {
        return DeclareAs<Time>(simulation, parameter);
    }
    if (nb::isinstance<DataRate>(parameter.value))
    {
        return DeclareAs<DataRate>(simulation, parameter);
    }
    return DeclareAs<std::string>(simulation, parameter);
}

} // namespace ns3
