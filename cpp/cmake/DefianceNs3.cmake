# SPDX-License-Identifier: GPL-2.0-only
# Find ns-3 (3.42 or newer) and mend what the PyPI wheel's CMake package says about its builder's
# machine. Choose another ns-3 with -Dns3_DIR=... or the environment variable NS3_DIR.
#
# Sets DEFIANCE_NS3_LIBRARY_DIR; DEFIANCE_NS3_RPATH: where installed programs look for ns-3; and
# DEFIANCE_CXX_STANDARD: the language that its headers need.

if(NOT ns3_DIR AND DEFINED ENV{NS3_DIR})
  set(ns3_DIR "$ENV{NS3_DIR}")
endif()
if(NOT ns3_DIR)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  execute_process(
    COMMAND "${Python3_EXECUTABLE}" -c
            "import importlib.util as u; print(list(u.find_spec('ns3').submodule_search_locations)[0])"
    OUTPUT_VARIABLE _ns3_wheel
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET
    RESULT_VARIABLE _ns3_wheel_missing)
  if(_ns3_wheel_missing)
    message(FATAL_ERROR "ns-3 was not found: run 'pip install --no-deps ns3==3.44.post0', "
                        "or pass -Dns3_DIR=<folder of ns3Config.cmake>")
  endif()
  set(ns3_DIR "${_ns3_wheel}/lib64/cmake/ns3")
endif()

# Its version file refuses nothing newer, so the check is ours.
find_package(ns3 REQUIRED CONFIG GLOBAL)
if(ns3_VERSION AND ns3_VERSION VERSION_LESS 3.42)
  message(FATAL_ERROR "defiance needs ns-3 3.42 or newer; ${ns3_DIR} has ${ns3_VERSION}")
endif()

if(ns3_VERSION AND ns3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(DEFIANCE_CXX_STANDARD 23)
else()
  set(DEFIANCE_CXX_STANDARD 20)
endif()

get_filename_component(DEFIANCE_NS3_LIBRARY_DIR "${ns3_DIR}/../.." ABSOLUTE)
set(DEFIANCE_NS3_LIBRARY_DIR "${DEFIANCE_NS3_LIBRARY_DIR}" CACHE INTERNAL "ns-3's libraries")
if(DEFIANCE_BUNDLE_NS3)
  set(DEFIANCE_NS3_RPATH "" CACHE INTERNAL "")
else()
  set(DEFIANCE_NS3_RPATH "${DEFIANCE_NS3_LIBRARY_DIR}" CACHE INTERNAL "")
endif()

# Take from one module, and from those that it needs, what exists only where the wheel was built:
# include folders, absolute paths of libraries, and Boost, whose headers core would include.
function(defiance_mend_ns3_module module)
  get_target_property(mended ns3::${module} DEFIANCE_MENDED)
  if(mended)
    return()
  endif()
  get_target_property(include_dirs ns3::${module} INTERFACE_INCLUDE_DIRECTORIES)
  set(own_include_dirs "")
  foreach(dir IN LISTS include_dirs)
    if(EXISTS "${dir}/ns3")
      list(APPEND own_include_dirs "${dir}")
    endif()
  endforeach()
  get_target_property(links ns3::${module} INTERFACE_LINK_LIBRARIES)
  set(present_links "")
  foreach(link IN LISTS links)
    if(NOT IS_ABSOLUTE "${link}" OR EXISTS "${link}")
      list(APPEND present_links "${link}")
    endif()
  endforeach()
  get_target_property(definitions ns3::${module} INTERFACE_COMPILE_DEFINITIONS)
  list(FILTER definitions EXCLUDE REGEX "^HAVE_BOOST")
  set_target_properties(
    ns3::${module}
    PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${own_include_dirs}"
               INTERFACE_LINK_LIBRARIES "${present_links}"
               INTERFACE_COMPILE_DEFINITIONS "${definitions}"
               DEFIANCE_MENDED TRUE)
  target_link_directories(ns3::${module} INTERFACE "${DEFIANCE_NS3_LIBRARY_DIR}")
  defiance_mend_ns3(${present_links})
endfunction()

# defiance_mend_ns3(<module or link entry>...): mend each that is a module of ns-3.
function(defiance_mend_ns3)
  foreach(entry IN LISTS ARGN)
    string(REGEX REPLACE "^ns3::" "" module "${entry}")
    if(TARGET "ns3::${module}")
      defiance_mend_ns3_module(${module})
    endif()
  endforeach()
endfunction()

# defiance_ns3_link(<target> <visibility> <module>...): link modules of ns-3, mended. In a unity build
# the log components of several files, which ns-3 gives one name, have one each.
function(defiance_ns3_link target visibility)
  set_target_properties(
    ${target}
    PROPERTIES UNITY_BUILD_UNIQUE_ID DEFIANCE_SOURCE_ID
               UNITY_BUILD_CODE_BEFORE_INCLUDE "#define g_log DEFIANCE_SOURCE_ID"
               UNITY_BUILD_CODE_AFTER_INCLUDE "#undef g_log")
  defiance_mend_ns3(${ARGN})
  list(TRANSFORM ARGN PREPEND "ns3::" OUTPUT_VARIABLE modules)
  target_link_libraries(${target} ${visibility} ${modules})
  # config-store, which lte pulls in, names GTK symbols that nothing here calls.
  target_link_options(${target} ${visibility} -Wl,--allow-shlib-undefined)
endfunction()
