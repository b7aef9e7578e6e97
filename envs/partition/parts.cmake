# SPDX-License-Identifier: GPL-2.0-only
# Protocols, the network under them, and those who test them; no program by itself. The package has it
# as share/defiance/partition/CMakeLists.txt, for programs with protocols of their own (PARTS partition).
defiance_add_parts(
  partition-parts
  SOURCES
  control/partition-controller.cc
  control/replica-messages.cc
  network/csma-network.cc
  network/partition-filter.cc
  network/replica-network.cc
  network/star-network.cc
  partition-environment.cc
  raft/raft-core.cc
  raft/raft-header.cc
  raft/raft-oracles.cc
  raft/raft-protocol.cc
  raft/raft-replica.cc
  raft/raft-storage.cc
  replica/client-operation.cc
  replica/interceptor.cc
  replica/replica-application.cc
  replica/replica-protocol.cc
  replica/replica-state.cc
  replica/replica-tag.cc
  replica/stable-storage.cc
  tendermint/tendermint-core.cc
  tendermint/tendermint-header.cc
  tendermint/tendermint-message-log.cc
  tendermint/tendermint-oracles.cc
  tendermint/tendermint-protocol.cc
  tendermint/tendermint-replica.cc
  tendermint/tendermint-rules.cc
  tendermint/tendermint-storage.cc
  tester/colored-partition.cc
  tester/healing-phase.cc
  tester/message-delays.cc
  tester/painter.cc
  tester/set-partitions.cc
  tester/sha256.cc
  tester/test-session-view.cc
  tester/test-session.cc
  tester/tester-actions.cc
  tester/tester-parameters.cc
  NS3_MODULES
  applications
  csma
  internet
  point-to-point)
target_link_libraries(partition-parts PUBLIC defiance-deployment)
# The parts name each other without their folders, as headers of ns-3 do.
target_include_directories(partition-parts PUBLIC . control network raft replica tendermint tester)
