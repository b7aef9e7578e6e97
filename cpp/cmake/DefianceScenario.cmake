# SPDX-License-Identifier: GPL-2.0-only
# defiance_add_scenario(<name> SOURCES <file>... [NS3_MODULES <module>...])
#
# Build one scenario program against the defiance library. Where DEFIANCE_INSTALL_SCENARIOS is set, it
# belongs to the package.
function(defiance_add_scenario name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;NS3_MODULES")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX) # SOURCES may be objects alone
  target_link_libraries(${name} PRIVATE defiance::defiance)
  defiance_ns3_link(${name} PRIVATE ${arg_NS3_MODULES})
  if(TARGET defiance-pch)
    target_precompile_headers(${name} REUSE_FROM defiance-pch)
  endif()
  if(DEFIANCE_INSTALL_SCENARIOS)
    add_dependencies(defiance-package ${name})
    set_target_properties(${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib;${DEFIANCE_NS3_RPATH}")
    install(
      TARGETS ${name}
      RUNTIME_DEPENDENCY_SET defiance-ns3
      RUNTIME DESTINATION bin)
  endif()
endfunction()
