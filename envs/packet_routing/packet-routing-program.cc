// SPDX-License-Identifier: GPL-2.0-only

// Routers whose agents choose the paths of packets; see card.md.

#include "environment-program.h"
#include "packet-routing-environment.h"

int
main(int argc, char* argv[])
{
    ns3::PacketRoutingEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
