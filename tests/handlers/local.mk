# SPDX-License-Identifier: MIT
handlers_tests = %D%/test_chains
check_PROGRAMS += $(handlers_tests)
TESTS += $(handlers_tests)
tests_handlers_test_chains_LDADD = $(node_test_libs)
