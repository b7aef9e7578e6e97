// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_PARAMETERS_H
#define SCRIPT_PARAMETERS_H

#include "ns3/rl-simulation.h"

#include <nanobind/nanobind.h>

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * @brief Python's declaration of a parameter.
 */
struct ScriptParameter
{
    std::string name;                 //!< Name in lower_snake_case
    std::string help;                 //!< Meaning of the parameter
    nb::object value;                 //!< Default, which sets the type
    nb::object range;                 //!< Least and largest value; None: any
    std::vector<std::string> choices; //!< Allowed values; none: any
    bool perAgent;                    //!< Agents may have a value each
};

/// Returns the value in effect: for all agents, or a function of the agent's name.
using ParameterReader = std::function<nb::object()>;

/**
 * Declare a parameter.
 *
 * @param simulation The scenario.
 * @param parameter Python's declaration.
 * @return a function that reads the value
 */
ParameterReader DeclareParameter(RlSimulation& simulation, const ScriptParameter& parameter);

} // namespace ns3

#endif /* SCRIPT_PARAMETERS_H */
