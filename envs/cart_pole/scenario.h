// SPDX-License-Identifier: GPL-2.0-only

#ifndef CART_POLE_SCENARIO_H
#define CART_POLE_SCENARIO_H

#include "access-network.h"

#include <map>
#include <string>

namespace ns3
{

/**
 * The main function of the scenario's programs. Each knows some kinds of access network: what is
 * linked with all models of ns-3 that any of them needs would start slowly.
 *
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @param factories Builds access networks, by name of the kind.
 * @return the exit status of the program
 */
int RunCartPole(int argc, char* argv[], const std::map<std::string, AccessFactory>& factories);

} // namespace ns3

#endif // CART_POLE_SCENARIO_H
