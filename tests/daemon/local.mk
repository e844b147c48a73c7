# SPDX-License-Identifier: MIT
daemon_tests = %D%/test_config_file %D%/test_io_poller
daemon_scripts = %D%/check_man.sh \
  %D%/test_consortctl.py %D%/test_consortd_clients.py %D%/test_consortd_operators.py \
  %D%/test_consortd_process.py %D%/test_join.py
check_PROGRAMS += $(daemon_tests)
TESTS += $(daemon_tests) $(daemon_scripts)
LONG_TESTS += %D%/join_long.sh
EXTRA_DIST += $(daemon_scripts) %D%/harness.py
tests_daemon_test_config_file_LDADD = $(daemon_libs)
tests_daemon_test_io_poller_LDADD = $(daemon_libs)
