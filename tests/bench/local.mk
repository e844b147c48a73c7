# SPDX-License-Identifier: MIT
# Each prints its figures, as ratios inside its own run where that is possible (`make bench`).
bench_programs += %D%/bench_broker
tests_bench_bench_broker_LDADD = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a \
  $(GLIB_LIBS)

bench_programs += %D%/bench_transport
tests_bench_bench_transport_LDADD = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)
