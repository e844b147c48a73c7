# SPDX-License-Identifier: MIT
sim_tests = \
  %D%/test_checker_delivery %D%/test_checker_order %D%/test_checkers %D%/test_checkpoints \
  %D%/test_fault_text %D%/test_rules %D%/test_seeds %D%/test_sim_parts
check_PROGRAMS += $(sim_tests)
TESTS += $(sim_tests) %D%/test_builds.sh %D%/test_determinism.sh %D%/test_program.sh
tests_sim_test_checker_delivery_SOURCES = \
  %D%/test_checker_delivery.c %D%/checker_cases.c %D%/checker_cases.h
tests_sim_test_checker_delivery_LDADD = $(sim_libs)
tests_sim_test_checker_order_SOURCES = \
  %D%/test_checker_order.c %D%/checker_cases.c %D%/checker_cases.h
tests_sim_test_checker_order_LDADD = $(sim_libs)
tests_sim_test_checkers_SOURCES = %D%/test_checkers.c %D%/checker_cases.c %D%/checker_cases.h
tests_sim_test_checkers_LDADD = $(sim_libs)
tests_sim_test_fault_text_LDADD = $(sim_libs)
tests_sim_test_checkpoints_LDADD = $(sim_libs)
tests_sim_test_rules_LDADD = $(sim_libs)
tests_sim_test_seeds_LDADD = $(sim_libs)
tests_sim_test_sim_parts_LDADD = $(sim_libs)

LONG_TESTS += %D%/long_builds.sh %D%/sweep_long.sh
EXTRA_DIST += %D%/other_build.mk %D%/test_builds.sh %D%/test_determinism.sh %D%/test_program.sh

# What test_builds.sh builds.
mostlyclean-local:
	rm -rf %D%/builds
