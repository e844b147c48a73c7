# SPDX-License-Identifier: MIT
bench_programs += %D%/bench_transport
tests_bench_bench_transport_LDADD = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)

bench_programs += %D%/bench_broker
tests_bench_bench_broker_LDADD = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a \
  $(GLIB_LIBS)

bench_programs += %D%/bench_sim
tests_bench_bench_sim_LDADD = $(sim_libs)
