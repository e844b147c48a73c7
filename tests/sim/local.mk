# SPDX-License-Identifier: MIT
sim_tests =
sim_tests += %D%/test_checker_delivery
sim_tests += %D%/test_checker_order
sim_tests += %D%/test_checker_state
sim_tests += %D%/test_checker_tape
sim_tests += %D%/test_checkers
sim_tests += %D%/test_checkpoints
sim_tests += %D%/test_every_place
sim_tests += %D%/test_fault_replay
sim_tests += %D%/test_fault_text
sim_tests += %D%/test_faults
sim_tests += %D%/test_large
sim_tests += %D%/test_probes
sim_tests += %D%/test_scenario_language
sim_tests += %D%/test_scenarios
sim_tests += %D%/test_seeds
sim_tests += %D%/test_shrink
sim_tests += %D%/test_shrink_list
sim_tests += %D%/test_sim_parts
sim_tests += %D%/test_sweep
sim_tests += %D%/test_workers
check_PROGRAMS += $(sim_tests)
TESTS += $(sim_tests)
TESTS += %D%/test_builds.sh
TESTS += %D%/test_determinism.sh
TESTS += %D%/test_doc.sh
TESTS += %D%/test_program.sh
TESTS += %D%/test_sweep.sh
LONG_TESTS += %D%/large_long.sh
LONG_TESTS += %D%/long_builds.sh
LONG_TESTS += %D%/sweep_long.sh
EXTRA_DIST += tests/scenarios
EXTRA_DIST += %D%/large_long.sh
EXTRA_DIST += %D%/long_builds.sh
EXTRA_DIST += %D%/other_build.mk
EXTRA_DIST += %D%/sweep_long.sh
EXTRA_DIST += %D%/test_builds.sh
EXTRA_DIST += %D%/test_determinism.sh
EXTRA_DIST += %D%/test_doc.sh
EXTRA_DIST += %D%/test_program.sh
EXTRA_DIST += %D%/test_sweep.sh
tests_sim_test_checker_delivery_SOURCES = \
  %D%/test_checker_delivery.c \
  %D%/checker_cases.c \
  %D%/checker_cases.h
tests_sim_test_checker_delivery_LDADD = $(sim_libs)
tests_sim_test_checker_order_SOURCES = \
  %D%/test_checker_order.c \
  %D%/checker_cases.c \
  %D%/checker_cases.h
tests_sim_test_checker_order_LDADD = $(sim_libs)
tests_sim_test_checker_state_SOURCES = \
  %D%/test_checker_state.c \
  %D%/checker_cases.c \
  %D%/checker_cases.h
tests_sim_test_checker_state_LDADD = $(sim_libs)
tests_sim_test_checker_tape_SOURCES = \
  %D%/test_checker_tape.c \
  %D%/checker_cases.c \
  %D%/checker_cases.h
tests_sim_test_checker_tape_LDADD = $(sim_libs)
tests_sim_test_checkers_SOURCES = %D%/test_checkers.c %D%/checker_cases.c %D%/checker_cases.h
tests_sim_test_checkers_LDADD = $(sim_libs)
tests_sim_test_checkpoints_LDADD = $(sim_libs)
tests_sim_test_fault_replay_LDADD = $(sim_libs)
tests_sim_test_fault_text_LDADD = $(sim_libs)
tests_sim_test_every_place_LDADD = $(sim_libs)
tests_sim_test_faults_LDADD = $(sim_libs)
tests_sim_test_large_LDADD = $(sim_libs)
tests_sim_test_probes_LDADD = $(sim_libs)
tests_sim_test_scenario_language_LDADD = $(sim_libs)
tests_sim_test_scenarios_LDADD = $(sim_libs)
tests_sim_test_seeds_LDADD = $(sim_libs)
tests_sim_test_shrink_LDADD = $(sim_libs)
tests_sim_test_shrink_list_LDADD = $(sim_libs)
tests_sim_test_sim_parts_LDADD = $(sim_libs)
tests_sim_test_sweep_LDADD = $(sim_libs)
tests_sim_test_workers_SOURCES = %D%/test_workers.c sim/sweep_workers.c
tests_sim_test_workers_LDADD = $(sim_libs)

mostlyclean-local:
	rm -rf %D%/builds tests/mutants/work
	rm -rf %D%/builds

# The stories that scenarios expect, as they are now.
.PHONY: update-stories
update-stories: consort-sim$(EXEEXT)
	./consort-sim$(EXEEXT) run --update \
	  $$(grep -l '^\[story\]' $(srcdir)/tests/scenarios/*.scenario) >/dev/null
