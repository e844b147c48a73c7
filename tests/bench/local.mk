# SPDX-License-Identifier: MIT
noinst_PROGRAMS += %D%/bench_transport
tests_bench_bench_transport_LDADD = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)
