# SPDX-License-Identifier: GPL-2.0-only
# What ns-3's build_lib() does not say of the module: the language, the bridge's private headers and
# libraries, and where the tests find the golden messages.

# Depending on its release, ns-3 compiles a module as an object library or directly.
foreach(target libdefiance-obj libdefiance libdefiance-test)
  if(TARGET ${target})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/model/bridge/private")
    target_include_directories(
      ${target} SYSTEM
      PRIVATE "$<TARGET_PROPERTY:defiance-proto,INTERFACE_INCLUDE_DIRECTORIES>"
              "$<TARGET_PROPERTY:zeromq,INTERFACE_INCLUDE_DIRECTORIES>")
    target_compile_definitions(${target} PRIVATE DEFIANCE_NS3_VERSION="${NS3_VER}")
    add_dependencies(${target} defiance-proto)
  endif()
endforeach()
target_link_libraries(libdefiance PRIVATE defiance-proto zeromq)

if(TARGET libdefiance-test)
  # The tests use the protocol's classes that libdefiance exports: a second copy would register twice.
  target_link_libraries(libdefiance-test protobuf::libprotobuf zeromq)
  target_compile_definitions(libdefiance-test
                             PRIVATE DEFIANCE_GOLDEN_DIR="${DEFIANCE_ROOT}/tests/golden")
endif()
