// SPDX-License-Identifier: GPL-2.0-only

// The parts of scenarios in Python: the extension module `_scripting`.

#include "bindings.h"

NB_MODULE(_scripting, module)
{
    module.doc() = "ns-3, as defiance_zoo.scenario uses it.";
    nanobind::set_leak_warnings(false); // a simulation ends without destroying its objects
    ns3::BindValues(module);
    ns3::BindCounters(module);
    ns3::BindObjects(module);
    ns3::BindApplications(module);
    ns3::BindEvents(module);
    ns3::BindLinks(module);
    ns3::BindNetwork(module);
    ns3::BindSimulation(module);
}
