// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENVIRONMENT_PROGRAM_H
#define ENVIRONMENT_PROGRAM_H

#include "environment.h"

namespace ns3
{

/**
 * Build the linked access networks that may be chosen, before episodes are forked.
 *
 * @param simulation The scenario.
 * @param options The choices.
 */
void WarmUpAccess(RlSimulation& simulation, const DeploymentOptions& options);

/**
 * Check the values of all parameters, and reject contradictions.
 *
 * @param simulation The scenario that declared them.
 * @param environment The environment.
 */
void RequireConsistency(RlSimulation& simulation, Environment& environment);

/**
 * The main function of an environment's programs. Each program is linked with some kinds of access
 * network, and rejects the others.
 *
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @param environment The environment.
 * @return the exit status of the program
 */
int RunEnvironment(int argc, char* argv[], Environment& environment);

} // namespace ns3

#endif // ENVIRONMENT_PROGRAM_H
