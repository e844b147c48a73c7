# SPDX-License-Identifier: MIT
# Programs without an ending are GTest programs, run by run_gtest.sh; scripts print TAP themselves.
TEST_EXTENSIONS = .sh .py
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/.aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
PY_LOG_DRIVER = $(LOG_DRIVER)
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run_gtest.sh
SH_LOG_COMPILER = $(SHELL)
PY_LOG_COMPILER = $(PYTHON3)
AM_TESTS_ENVIRONMENT = \
  G_DEBUG=fatal-warnings; export G_DEBUG; \
  top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
  top_builddir='$(abs_top_builddir)'; export top_builddir; \
  NM='$(NM)'; export NM; CC='$(CC)'; export CC; PYTHON3='$(PYTHON3)'; export PYTHON3; \
  PYTHONDONTWRITEBYTECODE=1; export PYTHONDONTWRITEBYTECODE;

# Scripts (.sh, .py) that take too long for `make check`: `make check-long` runs them.
LONG_TESTS =
# Programs that print figures: `make bench` runs them, one after another. `make check` builds them,
# so that they go on to build.
bench_programs =
check_PROGRAMS += $(bench_programs)

source_checks = %D%/check_doc.sh %D%/check_layers.sh %D%/check_style.sh
TESTS += $(source_checks)
EXTRA_DIST += $(source_checks) $(LONG_TESTS) \
  daemon/try.sh %D%/allowed_skips %D%/need.sh %D%/packages.sh %D%/run.sh %D%/run_gtest.sh

include tests/base/local.mk
include tests/amqp/local.mk
include tests/broker/local.mk
include tests/session/local.mk
include tests/cluster/local.mk
include tests/handlers/local.mk
include tests/node/local.mk
include tests/transport/local.mk
include tests/cpg/local.mk
include tests/sim/local.mk
include tests/daemon/local.mk
include tests/mutants/local.mk
include tests/interop/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk

check-long: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(LONG_TESTS)'

# The last one needs a laboratory; where there can be none it says why.
bench: all $(bench_programs) $(corosync_bench_programs)
	@set -e; for program in $(bench_programs); do echo "== $$program"; ./$$program; done
	@echo "== tests/bench/bench_corosync"; \
	  $(SHELL) $(top_srcdir)/tests/bench/bench_corosync.sh || test $$? -eq 77

.PHONY: bench check-long fuzz
