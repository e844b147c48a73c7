# SPDX-License-Identifier: MIT
bench_programs += %D%/bench_transport
tests_bench_bench_transport_LDADD = transport/libtransport_sim.a core/base/libbase.a $(GLIB_LIBS)

bench_programs += %D%/bench_broker
tests_bench_bench_broker_LDADD = core/broker/libbroker.a core/amqp/libamqp.a core/base/libbase.a \
  $(GLIB_LIBS)

bench_programs += %D%/bench_sim
tests_bench_bench_sim_LDADD = $(sim_libs)

bench_programs += %D%/bench_cluster
tests_bench_bench_cluster_SOURCES = %D%/bench_cluster.c \
  %D%/bench_client.c %D%/bench_client.h %D%/bench_process.c %D%/bench_process.h \
  %D%/bench_run.c %D%/bench_run.h %D%/bench_samples.c %D%/bench_samples.h
tests_bench_bench_cluster_LDADD = core/amqp/libamqp.a core/base/libbase.a $(GLIB_LIBS)
TESTS += %D%/test_bench_smoke.sh
EXTRA_DIST += %D%/test_bench_smoke.sh

EXTRA_DIST += %D%/bench_corosync.sh %D%/test_bench_corosync.sh
if WITH_CPG
corosync_bench_programs = %D%/bench_corosync %D%/raw_cpg
check_PROGRAMS += $(corosync_bench_programs)
tests_bench_bench_corosync_SOURCES = %D%/bench_corosync.c \
  %D%/bench_client.c %D%/bench_client.h %D%/bench_process.c %D%/bench_process.h \
  %D%/bench_run.c %D%/bench_run.h %D%/bench_samples.c %D%/bench_samples.h
tests_bench_bench_corosync_LDADD = core/amqp/libamqp.a core/base/libbase.a $(GLIB_LIBS)
tests_bench_raw_cpg_CFLAGS = $(AM_CFLAGS) $(CPG_CFLAGS)
tests_bench_raw_cpg_LDADD = $(CPG_LIBS) $(GLIB_LIBS)
TESTS += %D%/test_bench_corosync.sh
endif
