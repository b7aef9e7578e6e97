// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENVIRONMENT_PROGRAM_H
#define ENVIRONMENT_PROGRAM_H

#include "environment.h"

namespace ns3
{

/**
 * Have access networks that may be chosen, and are linked, built before episodes are forked.
 *
 * @param simulation Where.
 * @param options The choices.
 */
void WarmUpAccess(RlSimulation& simulation, const DeploymentOptions& options);

/**
 * Look at the values of all parameters, and refuse them if they contradict each other.
 *
 * @param simulation Where they were declared.
 * @param environment The environment.
 */
void RequireConsistency(RlSimulation& simulation, Environment& environment);

/**
 * The main function of an environment's programs. Each is linked with some kinds of access network,
 * and refuses the others.
 *
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @param environment The environment.
 * @return the exit status of the program
 */
int RunEnvironment(int argc, char* argv[], Environment& environment);

} // namespace ns3

#endif // ENVIRONMENT_PROGRAM_H
