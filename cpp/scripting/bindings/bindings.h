// SPDX-License-Identifier: GPL-2.0-only

#ifndef BINDINGS_H
#define BINDINGS_H

#include <nanobind/nanobind.h>

namespace ns3
{

namespace nb = nanobind;

/**
 * @name Parts of the module
 * @param module The module.
 * @{
 */
void BindValues(nb::module_& module);       //!< Bind times and data rates
void BindCounters(nb::module_& module);     //!< The reports of trace sources
void BindObjects(nb::module_& module);      //!< Bind objects, nodes, packets, random variables
void BindApplications(nb::module_& module); //!< Bind observers, rewarders, agents, actors
void BindEvents(nb::module_& module);       //!< Bind events and the clock
void BindLinks(nb::module_& module);        //!< Bind links of cables
void BindNetwork(nb::module_& module);      //!< Bind addresses, routes, positions, recording
void BindFlowMonitor(nb::module_& module);  //!< The statistics of flows
void BindSimulation(nb::module_& module);   //!< Bind parameters, episodes, forks
/** @} */

} // namespace ns3

#endif /* BINDINGS_H */
