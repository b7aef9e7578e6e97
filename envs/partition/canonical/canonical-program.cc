// SPDX-License-Identifier: GPL-2.0-only

// The program of partition_v0 with canonical/raft, which some builds lack; see card.md.

#include "canonical-protocol.h"
#include "environment-program.h"
#include "partition-environment.h"
#include "tendermint-protocol.h"

#include <memory>

int
main(int argc, char* argv[])
{
    ns3::PartitionEnvironment environment("partition",
                                          {std::make_shared<ns3::RaftProtocol>(),
                                           std::make_shared<ns3::TendermintProtocol>(),
                                           std::make_shared<ns3::CanonicalProtocol>()});
    return ns3::RunEnvironment(argc, argv, environment);
}
