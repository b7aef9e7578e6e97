# SPDX-License-Identifier: GPL-2.0-only
# The test suites, in folders as those of the module, and what they share. Sets DEFIANCE_TEST_SUITES,
# DEFIANCE_TEST_SUPPORT, and DEFIANCE_TEST_SOURCES, which is both.

set(_test "${CMAKE_CURRENT_LIST_DIR}/../test")
file(GLOB_RECURSE DEFIANCE_TEST_SUITES CONFIGURE_DEPENDS "${_test}/*-test-suite.cc")
file(GLOB DEFIANCE_TEST_SUPPORT CONFIGURE_DEPENDS "${_test}/support/*.cc")
set(DEFIANCE_TEST_SOURCES ${DEFIANCE_TEST_SUPPORT} ${DEFIANCE_TEST_SUITES})
