// SPDX-License-Identifier: GPL-2.0-only

// Radios choose a channel for each slot, beside an interferer and each other; see card.md.

#include "channel-access-environment.h"
#include "environment-program.h"

int
main(int argc, char* argv[])
{
    ns3::ChannelAccessEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
