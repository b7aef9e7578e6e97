// SPDX-License-Identifier: GPL-2.0-only

// Users of LTE cells move, and agents hand them over from cell to cell; see card.md.

#include "environment-program.h"
#include "handover-environment.h"

int
main(int argc, char* argv[])
{
    ns3::HandoverEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
