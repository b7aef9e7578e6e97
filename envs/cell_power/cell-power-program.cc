// SPDX-License-Identifier: GPL-2.0-only

// LTE cells share a carrier, and agents choose their transmit power; see card.md.

#include "cell-power-environment.h"
#include "environment-program.h"

int
main(int argc, char* argv[])
{
    ns3::CellPowerEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
