# SPDX-License-Identifier: GPL-2.0-only
# What ns-3's build_lib() does not say of the module: the language, private headers and libraries, and
# where the tests find the golden messages.

include("${CMAKE_CURRENT_LIST_DIR}/DefiancePrivateHeaders.cmake")

# ns-3 tells what it calls its targets: with or without `lib` before the module's name, depending on
# its release, which also decides whether a module is compiled as an object library or directly.
foreach(target IN ITEMS ${libdefiance-obj} ${libdefiance} ${testdefiance})
  if(TARGET ${target})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE ${DEFIANCE_PRIVATE_FOLDERS})
    target_include_directories(
      ${target} SYSTEM
      PRIVATE "$<TARGET_PROPERTY:defiance-proto,INTERFACE_INCLUDE_DIRECTORIES>"
              "$<TARGET_PROPERTY:zeromq,INTERFACE_INCLUDE_DIRECTORIES>")
    target_compile_definitions(${target} PRIVATE DEFIANCE_NS3_VERSION="${NS3_VER}")
    add_dependencies(${target} defiance-proto)
  endif()
endforeach()
target_link_libraries(${libdefiance} PRIVATE defiance-proto zeromq)

# A tree that was configured with tests remembers what they were called when it no longer has them.
if(TARGET "${testdefiance}")
  # The tests use the protocol's classes that the library exports: a second copy would register twice.
  target_link_libraries(${testdefiance} protobuf::libprotobuf zeromq)
  target_include_directories(${testdefiance} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/test/support")
  target_compile_definitions(${testdefiance}
                             PRIVATE DEFIANCE_GOLDEN_DIR="${DEFIANCE_ROOT}/tests/golden")
endif()
