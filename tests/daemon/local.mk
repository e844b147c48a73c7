# SPDX-License-Identifier: MIT
daemon_tests = %D%/test_io_poller
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests) %D%/check_man.sh
EXTRA_DIST += %D%/check_man.sh
daemon_test_libs = daemon/libdaemon.a core/base/libbase.a $(GLIB_LIBS)
tests_daemon_test_io_poller_LDADD = $(daemon_test_libs)
