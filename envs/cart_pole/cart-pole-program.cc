// SPDX-License-Identifier: GPL-2.0-only

// Cart-poles balanced by agents on other nodes of the network; see card.md.

#include "cart-pole-environment.h"
#include "environment-program.h"

int
main(int argc, char* argv[])
{
    ns3::CartPoleEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
