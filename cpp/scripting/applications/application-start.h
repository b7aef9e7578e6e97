// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_START_H
#define APPLICATION_START_H

#include "ns3/application.h"

namespace ns3
{

/// Report aborts of ns-3 as failures of the scenario, with the lines that are likely their causes
void ReportAborts();

/**
 * Watch the start of an ns-3 application: a missing requirement ends the episode, and if ns-3 ends
 * the process, the message shows the line that created the application.
 *
 * @param application An application that a scenario has added to a node.
 */
void WatchStart(Ptr<Application> application);

} // namespace ns3

#endif /* APPLICATION_START_H */
