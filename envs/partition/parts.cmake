# SPDX-License-Identifier: GPL-2.0-only
# Protocols, the network under them, and those who test them; no program by itself. The package has it
# as share/defiance/partition/CMakeLists.txt, for programs with protocols of their own (PARTS partition).
defiance_add_parts(
  partition-parts
  SOURCES
  control/replica-messages.cc
  network/csma-network.cc
  network/star-network.cc
  partition-environment.cc
  raft/raft-core.cc
  raft/raft-header.cc
  replica/replica-application.cc
  replica/replica-protocol.cc
  replica/replica-state.cc
  replica/replica-tag.cc
  replica/stable-storage.cc
  tendermint/tendermint-core.cc
  tendermint/tendermint-header.cc
  tendermint/tendermint-rules.cc
  tester/sha256.cc
  tester/test-session-view.cc
  tester/test-session.cc
  tester/tester-parameters.cc
  NS3_MODULES
  applications
  csma
  internet
  point-to-point)
target_link_libraries(partition-parts PUBLIC defiance-deployment)
# The parts name each other without their folders, as headers of ns-3 do.
target_include_directories(partition-parts PUBLIC . control network raft replica tendermint tester)
