# SPDX-License-Identifier: MIT
noinst_PROGRAMS += %D%/bench_broker
tests_bench_bench_broker_LDADD = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a \
  $(GLIB_LIBS)
