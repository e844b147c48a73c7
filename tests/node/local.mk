# SPDX-License-Identifier: MIT
# harness.c: whole members in one process, for this floor's tests and the chains'.
check_LIBRARIES += tests/node/libharness.a
tests_node_libharness_a_SOURCES = %D%/harness.c %D%/harness.h
node_test_libs = tests/node/libharness.a $(node_libs) transport/libtransport_sim.a \
  core/base/libbase.a $(GLIB_LIBS)

node_tests = %D%/test_limits %D%/test_random_entries %D%/test_ends %D%/test_replicas \
  %D%/test_random_bytes
check_PROGRAMS += $(node_tests)
TESTS += $(node_tests)
tests_node_test_ends_LDADD = $(node_test_libs)
tests_node_test_limits_LDADD = $(node_test_libs)
tests_node_test_replicas_LDADD = $(node_test_libs)
tests_node_test_random_bytes_SOURCES = %D%/test_random_bytes.c %D%/random_frames.c \
  %D%/random_frames.h
tests_node_test_random_bytes_LDADD = $(node_test_libs)
tests_node_test_random_entries_SOURCES = %D%/test_random_entries.c %D%/random_frames.c \
  %D%/random_frames.h
tests_node_test_random_entries_LDADD = $(node_test_libs)
