# SPDX-License-Identifier: GPL-2.0-only
# find_package(defiance): target defiance::defiance, and for own programs defiance_add_scenario() and
# defiance_add_environment().
include("${CMAKE_CURRENT_LIST_DIR}/DefianceNs3.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/DefianceScenario.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/DefianceEnvironment.cmake")
defiance_mend_ns3(core network mobility internet)
include("${CMAKE_CURRENT_LIST_DIR}/defianceTargets.cmake")

# A wheel brings the ns-3 libraries that it runs with. Another release beside them would put two ns-3
# into one program.
file(GLOB _defiance_bundled "${CMAKE_CURRENT_LIST_DIR}/../../libns3*-core*.so")
if(_defiance_bundled)
  get_filename_component(_defiance_bundled "${_defiance_bundled}" NAME)
  get_target_property(_defiance_core ns3::core LOCATION)
  get_filename_component(_defiance_core "${_defiance_core}" NAME)
  if(NOT _defiance_core STREQUAL _defiance_bundled)
    message(FATAL_ERROR "defiance-zoo runs with ${_defiance_bundled}, and ${ns3_DIR} has "
                        "${_defiance_core}: run 'pip install --no-deps ns3==3.44.post0'")
  endif()
endif()
