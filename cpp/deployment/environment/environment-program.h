// SPDX-License-Identifier: GPL-2.0-only

#ifndef ENVIRONMENT_PROGRAM_H
#define ENVIRONMENT_PROGRAM_H

#include "environment.h"

namespace ns3
{

/**
 * The main function of an environment's programs. Each is linked with some kinds of access network,
 * and refuses the others.
 *
 * @param argc Number of arguments.
 * @param argv The arguments.
 * @param environment What is simulated.
 * @return the exit status of the program
 */
int RunEnvironment(int argc, char* argv[], Environment& environment);

} // namespace ns3

#endif // ENVIRONMENT_PROGRAM_H
