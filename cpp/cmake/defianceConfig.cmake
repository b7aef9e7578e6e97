# SPDX-License-Identifier: GPL-2.0-only
# find_package(defiance): target defiance::defiance, and defiance_add_scenario() for own programs.
include("${CMAKE_CURRENT_LIST_DIR}/DefianceNs3.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/DefianceScenario.cmake")
defiance_mend_ns3(core network internet)
include("${CMAKE_CURRENT_LIST_DIR}/defianceTargets.cmake")
