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
    std::string help;                 //!< Its meaning
    nb::object value;                 //!< Its default, whose type is the parameter's
    nb::object range;                 //!< Least and largest value; None: there is no range
    std::vector<std::string> choices; //!< The only values; none: there are others
    bool perAgent;                    //!< Agents may have a value each
};

/// Returns the value in effect: for all agents, or a function of the agent's name.
using ParameterReader = std::function<nb::object()>;

/**
 * Declare a parameter.
 *
 * @param simulation Where.
 * @param parameter Python's declaration.
 * @return reads its value
 */
ParameterReader DeclareParameter(RlSimulation& simulation, const ScriptParameter& parameter);

} // namespace ns3

#endif /* SCRIPT_PARAMETERS_H */
