// SPDX-License-Identifier: GPL-2.0-only

// Carts drive past edge nodes, and agents on edge nodes balance their poles; see card.md.

#include "edge-cart-pole-environment.h"
#include "environment-program.h"

int
main(int argc, char* argv[])
{
    ns3::EdgeCartPoleEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
