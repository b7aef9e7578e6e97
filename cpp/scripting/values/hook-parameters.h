// SPDX-License-Identifier: GPL-2.0-only

#ifndef HOOK_PARAMETERS_H
#define HOOK_PARAMETERS_H

#include <nanobind/nanobind.h>

#include <cstddef>

namespace ns3
{

namespace nb = nanobind;

/**
 * @param function A function, or another callable object.
 * @param count Number of available arguments.
 * @return the number of arguments to pass: `count`, unless a Python function needs more, or has
 * fewer parameters
 */
std::size_t CountParameters(nb::handle function, std::size_t count);

} // namespace ns3

#endif /* HOOK_PARAMETERS_H */
