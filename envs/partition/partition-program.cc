// SPDX-License-Identifier: GPL-2.0-only

// Replicas of a consensus protocol, whose network agents partition; see card.md.

#include "environment-program.h"
#include "partition-environment.h"
#include "raft-protocol.h"
#include "tendermint-protocol.h"

#include <memory>

int
main(int argc, char* argv[])
{
    ns3::PartitionEnvironment environment(
        "partition",
        {std::make_shared<ns3::RaftProtocol>(), std::make_shared<ns3::TendermintProtocol>()});
    return ns3::RunEnvironment(argc, argv, environment);
}
