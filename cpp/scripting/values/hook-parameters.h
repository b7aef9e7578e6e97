// SPDX-License-Identifier: GPL-2.0-only

#ifndef HOOK_PARAMETERS_H
#define HOOK_PARAMETERS_H

#include <nanobind/nanobind.h>

#include <cstddef>

namespace ns3
{

namespace nb = nanobind;

/**
 * @param function A function, or something else that can be called.
 * @param count How many arguments there are for it.
 * @return how many it takes: so many, unless it is a function of Python that needs more, or that
 * has no parameters for all of them
 */
std::size_t CountParameters(nb::handle function, std::size_t count);

} // namespace ns3

#endif /* HOOK_PARAMETERS_H */
