# SPDX-License-Identifier: GPL-2.0-only
# The library `defiance` on its own, against an installed ns-3: built, installed, and tested.

include(DefiancePrivateHeaders)

# ns-3 headers share one flat folder, ns3/, and each module has one that includes all of its own.
set(_flat "${CMAKE_CURRENT_BINARY_DIR}/include/ns3")
set(_all "")
foreach(header IN LISTS DEFIANCE_HEADERS)
  get_filename_component(name "${header}" NAME)
  string(APPEND _all "#include \"${name}\"\n")
  file(CONFIGURE OUTPUT "${_flat}/${name}"
       CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n" @ONLY)
endforeach()
file(CONFIGURE OUTPUT "${_flat}/defiance-module.h" CONTENT "#pragma once\n${_all}" @ONLY)

# What runs at each step is compiled file by file in a unity build, too: gcc inlines less in a large
# unit, which lengthens every step.
set(_each_step ${DEFIANCE_SOURCES})
list(FILTER _each_step INCLUDE REGEX "/(agent|application|channel|codec|collector|decision|gym|link)/\
(agent-.*|callable-.*|channel-interface|.*-codec|container-.*coder|data-collector-.*|\
local-step-link|open-gym-multi-agent-(interface|rounds)|\
opengym-(box|tensor)-.*|opengym-(containers|spaces?)|python-decision-.*|rl-application.*|\
simple-channel-interface|zmtp-step-link)\\.cc$")
set_source_files_properties(${_each_step} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

add_library(defiance SHARED ${DEFIANCE_SOURCES})
add_library(defiance::defiance ALIAS defiance)
add_dependencies(defiance-package defiance)
target_compile_features(defiance PUBLIC cxx_std_${DEFIANCE_CXX_STANDARD})
target_include_directories(
  defiance
  PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>" "$<INSTALL_INTERFACE:include>"
  PRIVATE ${DEFIANCE_PRIVATE_FOLDERS})
target_compile_definitions(defiance PRIVATE DEFIANCE_NS3_VERSION="${ns3_VERSION}")
target_compile_options(defiance PRIVATE -Wall -Wextra -Wno-unused-parameter)
# Symbols are looked up when a process starts, here and in programs: what is left for the first call
# would be looked up in each episode that is forked.
target_link_options(defiance PUBLIC -Wl,-z,now PRIVATE -Wl,-Bsymbolic-functions)
# First among a program's libraries, where their tear-down begins, which it cuts short.
set(_this "$<TARGET_FILE:$<TARGET_NAME:defiance>>")
target_link_options(defiance INTERFACE -Wl,--push-state,--no-as-needed,${_this},--pop-state)
defiance_ns3_link(defiance PUBLIC core network mobility internet)
target_link_libraries(defiance PRIVATE defiance-proto zeromq)
set_target_properties(defiance PROPERTIES INSTALL_RPATH "$ORIGIN;${DEFIANCE_NS3_RPATH}")
target_precompile_headers(
  defiance PRIVATE <algorithm> <map> <string> <vector> <ns3/core-module.h> <ns3/network-module.h>)

# --- what Python calls, without ns-3: an extension module of the stable interface
find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND "${Python3_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('include'), end='')"
  OUTPUT_VARIABLE _python_headers COMMAND_ERROR_IS_FATAL ANY)
file(GLOB _exchange CONFIGURE_DEPENDS python/*.cc model/bridge/policy/onnx-*.cc
     deployment/links/trace-format.cc)
list(FILTER _exchange EXCLUDE REGEX "onnx-session")
add_library(defiance-exchange MODULE ${_exchange})
set_target_properties(defiance-exchange PROPERTIES PREFIX "" OUTPUT_NAME _exchange SUFFIX .abi3.so)
set_target_properties(defiance-exchange PROPERTIES UNITY_BUILD OFF)
target_compile_features(defiance-exchange PRIVATE cxx_std_${DEFIANCE_CXX_STANDARD})
target_include_directories(defiance-exchange PRIVATE deployment/links model/bridge/link/private
                                                     model/bridge/policy/private)
target_include_directories(defiance-exchange SYSTEM PRIVATE "${_python_headers}")
add_dependencies(defiance-package defiance-exchange)
install(TARGETS defiance-exchange LIBRARY DESTINATION lib)

# --- what users of the installed package build their own scenarios with
install(
  TARGETS defiance
  EXPORT defianceTargets
  RUNTIME_DEPENDENCY_SET defiance-ns3
  LIBRARY DESTINATION lib)
install(FILES ${DEFIANCE_HEADERS} "${_flat}/defiance-module.h" DESTINATION include/ns3)
install(EXPORT defianceTargets NAMESPACE defiance:: DESTINATION lib/cmake/defiance)
install(FILES cmake/defianceConfig.cmake cmake/DefianceEnvironment.cmake cmake/DefianceNs3.cmake
              cmake/DefianceScenario.cmake DESTINATION lib/cmake/defiance)
# As sources: what is compiled fits one compiler and one release of ns-3.
install(DIRECTORY deployment DESTINATION share/defiance)

# One precompiled header for every scenario and test program.
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/pch.cc" CONTENT "int defiancePrecompiled;\n")
add_library(defiance-pch OBJECT "${CMAKE_CURRENT_BINARY_DIR}/pch.cc")
set_target_properties(defiance-pch PROPERTIES POSITION_INDEPENDENT_CODE OFF)
target_link_libraries(defiance-pch PRIVATE defiance)
target_precompile_headers(defiance-pch PRIVATE <algorithm> <map> <string> <vector>
                          <ns3/core-module.h> <ns3/internet-module.h> <ns3/network-module.h>)

add_subdirectory(deployment)
if(NOT DEFIANCE_ENVIRONMENTS)
  # Half of the work of a build, which an environment in C++ does not need.
  add_subdirectory(scripting)
endif()
if(DEFIANCE_BUILD_TESTS)
  add_subdirectory(test)
  add_subdirectory(fuzz)
endif()
