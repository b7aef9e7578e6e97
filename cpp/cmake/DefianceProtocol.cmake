# SPDX-License-Identifier: GPL-2.0-only
# What the link to Python needs: library `defiance-proto`, made from the wire contract, and `zeromq`.
#
# Sets DEFIANCE_ROOT, the folder of the project.

find_package(Protobuf REQUIRED)

# Not by pkg-config: that gives other flags at the second configuration, and so compiles all twice.
find_path(ZEROMQ_INCLUDE_DIR zmq.hpp REQUIRED)
find_library(ZEROMQ_LIBRARY zmq REQUIRED)
add_library(zeromq INTERFACE)
target_include_directories(zeromq SYSTEM INTERFACE "${ZEROMQ_INCLUDE_DIR}")
target_link_libraries(zeromq INTERFACE "${ZEROMQ_LIBRARY}")

# In an ns-3 tree this folder is a link, and the contract lies beside what it leads to.
get_filename_component(_module "${CMAKE_CURRENT_SOURCE_DIR}" REALPATH)
get_filename_component(DEFIANCE_ROOT "${_module}/.." ABSOLUTE)
set(_proto_root "${DEFIANCE_ROOT}/proto")
if(NOT EXISTS "${_proto_root}")
  message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR} must be a link to the folder cpp/ of defiance-zoo, "
                      "not a copy of it: ${_proto_root} is missing")
endif()
set(_proto_out "${CMAKE_CURRENT_BINARY_DIR}/proto")
file(MAKE_DIRECTORY "${_proto_out}")
set(_proto_sources "")
foreach(name environment fork)
  add_custom_command(
    OUTPUT "${_proto_out}/defiance/v1/${name}.pb.cc" "${_proto_out}/defiance/v1/${name}.pb.h"
    COMMAND protobuf::protoc "-I${_proto_root}" "--cpp_out=${_proto_out}" defiance/v1/${name}.proto
    DEPENDS "${_proto_root}/defiance/v1/${name}.proto"
    VERBATIM)
  list(APPEND _proto_sources "${_proto_out}/defiance/v1/${name}.pb.cc")
endforeach()
# What is generated, for tools that read the sources and compile nothing.
add_custom_target(defiance-headers DEPENDS ${_proto_sources})
add_library(defiance-proto STATIC ${_proto_sources})
set_target_properties(defiance-proto PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
target_include_directories(defiance-proto SYSTEM PUBLIC "${_proto_out}")
target_link_libraries(defiance-proto PUBLIC protobuf::libprotobuf)
