// SPDX-License-Identifier: GPL-2.0-only

#ifndef APPLICATION_START_H
#define APPLICATION_START_H

#include "ns3/application.h"

namespace ns3
{

/**
 * Look at an application of ns-3 as it starts: what it cannot start without ends the episode, and
 * where ns-3 ends the process, the line is shown that has made the application.
 *
 * @param application Has been added to a node by a scenario.
 */
void WatchStart(Ptr<Application> application);

} // namespace ns3

#endif /* APPLICATION_START_H */
