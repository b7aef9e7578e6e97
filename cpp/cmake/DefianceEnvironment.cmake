# SPDX-License-Identifier: GPL-2.0-only
# Programs of environments: scenarios whose agents are deployed as cpp/deployment/ has it.

# defiance_add_parts(<target> SOURCES <file>... [NS3_MODULES <module>...])
#
# Compile a part of several programs, with its folder to include from.
function(defiance_add_parts target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;NS3_MODULES")
  add_library(${target} OBJECT ${arg_SOURCES})
  target_include_directories(${target} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(${target} PUBLIC defiance::defiance)
  defiance_ns3_link(${target} PUBLIC ${arg_NS3_MODULES})
  if(TARGET defiance-pch)
    target_precompile_headers(${target} REUSE_FROM defiance-pch)
  endif()
endfunction()

# defiance_add_environment(<name> MAIN <file> [SOURCES <file>...] [ACCESS <kind>...]
#                          [PARTS <environment>...] [NS3_MODULES <module>...])
#
# Build the programs of an environment, with the access networks that it offers beside point-to-point
# links: csma and edge are in <name>, and wifi and lte in programs <name>_wifi and <name>_lte, as one that
# is linked with those takes several times as long to start, and longer to fork. What NS3_MODULES names
# is in all of them anyway, and needs no program of its own. PARTS names environments whose sources this
# one needs, too; outside of the zoo there is partition.
function(defiance_add_environment name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MAIN" "SOURCES;ACCESS;PARTS;NS3_MODULES")
  if(NOT TARGET defiance-deployment)
    get_filename_component(
      deployment "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../share/defiance/deployment" ABSOLUTE)
    add_subdirectory("${deployment}" "${CMAKE_BINARY_DIR}/defiance-deployment" EXCLUDE_FROM_ALL)
  endif()
  foreach(part IN LISTS arg_PARTS)
    get_filename_component(
      sources "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../share/defiance/${part}" ABSOLUTE)
    if(NOT TARGET ${part}-parts AND EXISTS "${sources}/CMakeLists.txt")
      add_subdirectory("${sources}" "${CMAKE_BINARY_DIR}/defiance-${part}" EXCLUDE_FROM_ALL)
    endif()
  endforeach()
  list(TRANSFORM arg_PARTS APPEND -parts)
  if(arg_SOURCES)
    defiance_add_parts(${name}-parts SOURCES ${arg_SOURCES} NS3_MODULES ${arg_NS3_MODULES})
    target_link_libraries(${name}-parts PUBLIC defiance-deployment ${arg_PARTS})
    list(APPEND arg_PARTS ${name}-parts)
  endif()

  set(programs ${name})
  foreach(kind IN LISTS arg_ACCESS)
    set(program ${name})
    if(kind MATCHES "^(wifi|lte)$")
      if(NOT kind IN_LIST arg_NS3_MODULES)
        set(program ${name}_${kind})
      endif()
    endif()
    list(APPEND programs ${program})
    list(APPEND access_of_${program} defiance-access-${kind})
  endforeach()
  list(REMOVE_DUPLICATES programs)
  foreach(program IN LISTS programs)
    defiance_add_scenario(${program} SOURCES ${arg_MAIN} NS3_MODULES ${arg_NS3_MODULES})
    set(arg_MAIN $<TARGET_OBJECTS:${name}>) # compiled once
    # Objects are linked where they are named, not where those are that need them.
    set(objects ${arg_PARTS} defiance-deployment ${access_of_${program}})
    list(REMOVE_DUPLICATES objects)
    target_link_libraries(${program} PRIVATE ${objects})
  endforeach()
endfunction()
