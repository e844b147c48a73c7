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
  NM='$(NM)'; export NM; CC='$(CC)'; export CC; PYTHON3='$(PYTHON3)'; export PYTHON3;

EXTRA_DIST += %D%/run_gtest.sh

include tests/base/local.mk
include tests/amqp/local.mk
include tests/broker/local.mk
include tests/session/local.mk
include tests/cluster/local.mk
include tests/handlers/local.mk
include tests/node/local.mk
include tests/transport/local.mk
include tests/sim/local.mk
include tests/daemon/local.mk
include tests/interop/local.mk
include tests/fuzz/local.mk
include tests/bench/local.mk
