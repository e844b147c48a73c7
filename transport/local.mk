# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libtransport_sim.a
transport_libtransport_sim_a_SOURCES = \
  %D%/sim_consume.c %D%/sim_formation.c %D%/sim_group.c %D%/sim_group.h %D%/sim_group_sides.c \
  %D%/sim_hearing.c %D%/sim_membership.c %D%/sim_membership.h %D%/sim_network.c \
  %D%/sim_network.h %D%/sim_network_parts.h %D%/sim_nodes.c %D%/sim_orders.c %D%/sim_partition.c \
  %D%/sim_ring.c %D%/sim_ring.h %D%/sim_timing.c %D%/sim_timing.h %D%/sim_weather.c \
  %D%/time_heap.c %D%/time_heap.h %D%/transport.h %D%/view.c %D%/view.h

if WITH_CPG
noinst_LIBRARIES += %D%/libtransport_cpg.a
transport_libtransport_cpg_a_SOURCES = \
  %D%/corosync_error.c %D%/corosync_error.h %D%/corosync_handle.c %D%/corosync_handle.h \
  %D%/corosync_membership.c %D%/corosync_membership.h %D%/corosync_network.c \
  %D%/corosync_network.h %D%/corosync_private.c %D%/corosync_private.h %D%/corosync_quorum.c \
  %D%/corosync_quorum.h %D%/corosync_worker.c %D%/corosync_worker.h
transport_libtransport_cpg_a_CFLAGS = $(AM_CFLAGS) $(CPG_CFLAGS)
endif
