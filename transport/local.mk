# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libtransport_sim.a
transport_libtransport_sim_a_SOURCES = \
  %D%/sim_consume.c %D%/sim_group.c %D%/sim_group.h %D%/sim_membership.c %D%/sim_membership.h \
  %D%/sim_network.c %D%/sim_network.h %D%/sim_network_parts.h %D%/time_heap.c \
  %D%/time_heap.h %D%/transport.h %D%/view.c %D%/view.h
