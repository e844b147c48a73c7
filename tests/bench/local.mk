# SPDX-License-Identifier: MIT
noinst_PROGRAMS += %D%/bench_broker %D%/bench_transport
tests_bench_bench_broker_LDADD = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a \
  $(GLIB_LIBS)
tests_bench_bench_transport_LDADD = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)
