// SPDX-License-Identifier: GPL-2.0-only

// A transmitter and a jammer choose channels at the same time; see card.md.

#include "environment-program.h"
#include "jamming-environment.h"

int
main(int argc, char* argv[])
{
    ns3::JammingEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
