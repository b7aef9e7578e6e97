// SPDX-License-Identifier: GPL-2.0-only

// Replicas of a consensus protocol, whose network agents partition; see card.md.

#include "environment-program.h"
#include "partition-environment.h"
#include "raft-protocol.h"
#include "tendermint-protocol.h"

#ifdef DEFIANCE_CANONICAL_RAFT
#include "canonical-protocol.h"
#else
#include "missing-canonical-protocol.h"
#endif

#include <memory>

#ifdef DEFIANCE_CANONICAL_RAFT
using CanonicalRaft = ns3::CanonicalProtocol; //!< The library
#else
using CanonicalRaft = ns3::MissingCanonicalProtocol; //!< Its refusal
#endif

int
main(int argc, char* argv[])
{
    ns3::PartitionEnvironment environment("partition",
                                          {std::make_shared<ns3::RaftProtocol>(),
                                           std::make_shared<ns3::TendermintProtocol>(),
                                           std::make_shared<CanonicalRaft>()});
    return ns3::RunEnvironment(argc, argv, environment);
}
