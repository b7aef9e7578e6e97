// SPDX-License-Identifier: GPL-2.0-only

#ifndef SCRIPT_PLACE_H
#define SCRIPT_PLACE_H

#include "ns3/object.h"

#include <nanobind/nanobind.h>

#include <string>

namespace ns3
{

/**
 * @return the traceback line of the scenario's code that Python runs now; empty: there is none
 */
std::string FindPlace();

/** @return whether Python runs only the simulation itself, without a function of the scenario */
bool IsBetweenFunctions();

/**
 * Record the present place in Python for an object, until the end of the simulation.
 *
 * @param object The object.
 */
void NotePlace(Ptr<Object> object);

/**
 * @param object An object.
 * @return the place of its creation, see FindPlace(); empty: not recorded
 */
std::string GetPlace(Ptr<const Object> object);

/// @return the last settings, zeros first, if Python runs no function of the scenario
std::string DescribeSettings();

/**
 * Record the value that the scenario's code gives to an attribute now. If ns-3 ends the process in
 * a later event, its report has the lines that gave values.
 *
 * @param attribute Class and name of the attribute.
 * @param value The value.
 */
void NoteSetting(const std::string& attribute, nanobind::handle value);

} // namespace ns3

#endif /* SCRIPT_PLACE_H */
