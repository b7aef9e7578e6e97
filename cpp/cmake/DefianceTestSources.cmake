# SPDX-License-Identifier: GPL-2.0-only
# The test suites and what they share. Sets DEFIANCE_TEST_SUITES, DEFIANCE_TEST_SUPPORT, and
# DEFIANCE_TEST_SOURCES, which is both.

set(_test "${CMAKE_CURRENT_LIST_DIR}/../test")
file(GLOB DEFIANCE_TEST_SUITES CONFIGURE_DEPENDS "${_test}/*-test-suite.cc")
set(DEFIANCE_TEST_SUPPORT fake-python.cc golden-messages.cc interface-test-support.cc
                         temporary-directory.cc test-scenario.cc)
list(TRANSFORM DEFIANCE_TEST_SUPPORT PREPEND "${_test}/")
set(DEFIANCE_TEST_SOURCES ${DEFIANCE_TEST_SUPPORT} ${DEFIANCE_TEST_SUITES})
