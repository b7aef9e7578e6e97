// SPDX-License-Identifier: GPL-2.0-only

#ifndef GYM_VALUES_H
#define GYM_VALUES_H

#include "ns3/opengym-containers.h"
#include "ns3/opengym-info.h"
#include "ns3/opengym-spaces.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

namespace nb = nanobind;

/**
 * Make a container of a value. Its kind follows from the value's type. An integer is a Discrete, a
 * float a Box of one element. A list of numbers is a Box of float64 or int64, an array
 * (array.array, NumPy) a Box of its element type. A text is a Text, a tuple a Tuple, a dict
 *
 * @param value A value in Python.
 * @return the container; raise TypeError for other types, OverflowError if an integer does not fit
 * into 64 bits
 */
Ptr<OpenGymDataContainer> ToContainer(nb::handle value);

/**
 * Make a container for a space from a value, with the space's element types.
 *
 * @param value A value in Python; a number or a list of one number stands for an array of one
 *              element and up to one axis.
 * @param space The space.
 * @return the container; raise ValueError if its kind or shape differs
 */
Ptr<OpenGymDataContainer> ToContainer(nb::handle value, Ptr<OpenGymSpace> space);

/**
 * @param value A text.
 * @return the text; raise TypeError for other values, UnicodeEncodeError for a lone surrogate
 */
std::string ToPlainText(nb::handle value);

/**
 * @param value A number, an array, or a list of numbers that may be nested.
 * @return the lengths of the axes; none: a number; raise ValueError if lists of one level have
 * several lengths
 */
std::vector<uint32_t> FindShape(PyObject* value);

/**
 * @param container A container, or null.
 * @return the value: an int, a float, a list (of lists), a str, a tuple or a dict; None
 */
nb::object FromContainer(Ptr<const OpenGymDataContainer> container);

/**
 * @param action An action, or null.
 * @return the value, as FromContainer() returns it, but with NumPy's arrays instead of lists
 */
nb::object FromAction(Ptr<const OpenGymDataContainer> action);

/**
 * @param values Values by name: numbers, texts, lists and arrays.
 * @return the info
 */
OpenGymInfo ToInfo(nb::handle values);

/**
 * @param kind Name of a class of Gymnasium's spaces.
 * @param arguments The description of the space; see defiance_zoo/scenario/spaces.py.
 * @return the space
 */
Ptr<OpenGymSpace> MakeSpace(const std::string& kind, const nb::tuple& arguments);

} // namespace ns3

#endif /* GYM_VALUES_H */
