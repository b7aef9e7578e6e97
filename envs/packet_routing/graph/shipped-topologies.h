// SPDX-License-Identifier: GPL-2.0-only

#ifndef SHIPPED_TOPOLOGIES_H
#define SHIPPED_TOPOLOGIES_H

#include <string>

namespace ns3
{

/**
 * @param name A name.
 * @return the text of the shipped topology with this name; null: there is none
 */
const char* FindShippedTopology(const std::string& name);

/**
 * @return the names of shipped topologies, separated by commas
 */
std::string ListShippedTopologies();

} // namespace ns3

#endif // SHIPPED_TOPOLOGIES_H
