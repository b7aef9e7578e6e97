// SPDX-License-Identifier: GPL-2.0-only

#ifndef SHIPPED_TOPOLOGIES_H
#define SHIPPED_TOPOLOGIES_H

#include <string>

namespace ns3
{

/**
 * @param name A name.
 * @return the text of the topology that is shipped under this name; null: there is none
 */
const char* FindShippedTopology(const std::string& name);

/**
 * @return the names of those that are shipped, with commas between them
 */
std::string ListShippedTopologies();

} // namespace ns3

#endif // SHIPPED_TOPOLOGIES_H
