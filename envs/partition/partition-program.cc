// SPDX-License-Identifier: GPL-2.0-only

// Replicas of a consensus protocol, whose network an agent partitions; see card.md.

#include "environment-program.h"
#include "partition-environment.h"

int
main(int argc, char* argv[])
{
    ns3::PartitionEnvironment environment;
    return ns3::RunEnvironment(argc, argv, environment);
}
