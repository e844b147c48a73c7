/* SPDX-License-Identifier: MIT */
/* Whether corosync calls this part of the cluster quorate (votequorum(5)). Its word comes on a
 * connection of its own, at no place of the group's order, so nothing that is ordered may depend on
 * it.
 *
 * Single-threaded; connecting and disconnecting wait for the daemon, and are the worker's. */
#pragma once

#include "transport/corosync_worker.h"

typedef struct CorosyncQuorum CorosyncQuorum;

/* Connects when the worker gets to it, and again whenever the daemon has ended. What it waits for
 * is added to the epoll set `poll_fd`; both are borrowed, until the worker has ended. */
CorosyncQuorum *corosync_quorum_new (CorosyncWorker *worker, int poll_fd);
void corosync_quorum_free (CorosyncQuorum *quorum);
void corosync_quorum_dispatch (CorosyncQuorum *quorum);
/* When to dispatch although nothing is readable; see corosync_network_next_us. */
gint64 corosync_quorum_next_us (const CorosyncQuorum *quorum);
/* FALSE also while corosync has not said it yet, does not run, or counts no votes. */
gboolean corosync_quorum_is_lost (const CorosyncQuorum *quorum);
