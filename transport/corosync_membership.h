/* SPDX-License-Identifier: MIT */
/* One Transport over corosync. What the network knows of it. */
#pragma once

#include "transport/corosync_worker.h"
#include "transport/transport.h"

typedef struct CorosyncMembership CorosyncMembership;

/* `owner` is told (forget) before it is freed. */
CorosyncMembership *corosync_membership_new (CorosyncWorker *worker, int poll_fd,
                                             void (*forget) (gpointer owner,
                                                             CorosyncMembership *membership),
                                             gpointer owner);
Transport *corosync_membership_transport (CorosyncMembership *membership);
/* Adds what was delivered to `deliveries`. TRUE: there is more. */
gboolean corosync_membership_dispatch (CorosyncMembership *membership, guint budget,
                                       guint64 *deliveries);
gint64 corosync_membership_next_us (const CorosyncMembership *membership);
