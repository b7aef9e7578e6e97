// SPDX-License-Identifier: GPL-2.0-only

// Two links whose settings disturb each other cyclically; see card.md.

#include "channel-rps-environment.h"
#include "environment-program.h"

int
main(int argc, char* argv[])
{
    ns3::ChannelRpsEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
