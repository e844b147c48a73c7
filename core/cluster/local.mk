# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libcluster.a
core_cluster_libcluster_a_SOURCES = \
  %D%/acceptance.c %D%/cluster.c %D%/cluster.h %D%/cluster_parts.h %D%/envelope.c %D%/envelope.h \
  %D%/envelope_frames.c %D%/envelope_frames.h %D%/envelope_write.c %D%/flow.c %D%/formation.c \
  %D%/join.c \
  %D%/membership.c %D%/membership.h %D%/multicast_outbox.c %D%/multicast_outbox.h \
  %D%/node_state.h %D%/quorum.c %D%/reply_when.h \
  %D%/seats.c %D%/seats.h %D%/standing.c \
  %D%/state_update.c %D%/view_change.c
