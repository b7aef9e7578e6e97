// SPDX-License-Identifier: GPL-2.0-only

#ifndef BINDINGS_H
#define BINDINGS_H

#include <nanobind/nanobind.h>

namespace ns3
{

namespace nb = nanobind;

/**
 * @name Parts of the module
 * @param module Where they are added.
 * @{
 */
void BindValues(nb::module_& module);       //!< Times and data rates
void BindCounters(nb::module_& module);     //!< The reports of trace sources
void BindObjects(nb::module_& module);      //!< Objects, nodes, packets, random variables
void BindApplications(nb::module_& module); //!< Applications that observe, reward, decide, act
void BindEvents(nb::module_& module);       //!< Events, and the clock
void BindNetwork(nb::module_& module);      //!< Links, addresses, routes, what is recorded
void BindFlowMonitor(nb::module_& module);  //!< The statistics of flows
void BindSimulation(nb::module_& module);   //!< Parameters, episodes, forks
/** @} */

} // namespace ns3

#endif /* BINDINGS_H */
