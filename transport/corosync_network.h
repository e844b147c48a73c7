/* SPDX-License-Identifier: MIT */
/* The transport over corosync: the memberships of this process, one fd for whoever loops, and the
 * thread for what blocks (corosync_worker.h).
 *
 *   corosync_network.c      this: what the owner of the loop sees
 *   corosync_membership.c   one Transport: the group's views and messages, in the contract's terms
 *   corosync_private.c      send_to: groups of two
 *   corosync_handle.c       one connection to the daemon, for one group, once
 *   corosync_worker.c       the thread
 *   corosync_quorum.c       beside the group: whether corosync is quorate
 *
 * It passes on what CPG does, and hides what is CPG's alone (doc/transport-contract.md). The death
 * of the daemon, however it comes, is `failed` and nothing else; a daemon that is not there yet is
 * waited for. Linux: epoll, eventfd.
 *
 * Single-threaded for its owner; no call blocks, but corosync_network_free within its bound. */
#pragma once

#include "transport/transport.h"

typedef struct CorosyncNetwork CorosyncNetwork;

CorosyncNetwork *corosync_network_new (void);
/* All transports must have been freed. Waits, at most LIMIT_COROSYNC_LEAVE_US, until corosync has
 * heard that they left. */
void corosync_network_free (CorosyncNetwork *network);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CorosyncNetwork, corosync_network_free)

/* A transport that has not joined yet, the caller's. `self` is known from the first event on. A
 * process is in a group once: the next membership of a group begins when the one before is over. */
Transport *corosync_network_new_transport (CorosyncNetwork *network);

/* Once; from then on corosync is asked whether it is quorate. */
void corosync_network_follow_quorum (CorosyncNetwork *network);
/* It is followed, and has said that it is not. */
gboolean corosync_network_is_inquorate (const CorosyncNetwork *network);

/* Readable when there is something to dispatch. Watch it, never read it. */
int corosync_network_fd (const CorosyncNetwork *network);
/* Gives each transport at most `budget` events. TRUE: there is more to give. */
gboolean corosync_network_dispatch (CorosyncNetwork *network, guint budget);
/* When to dispatch although the fd is not readable: microseconds of g_get_monotonic_time, 0 for
 * at once, G_MAXINT64 for not at all. */
gint64 corosync_network_next_us (const CorosyncNetwork *network);
/* Events given to all transports since the start. */
guint64 corosync_network_deliveries (const CorosyncNetwork *network);
