/* SPDX-License-Identifier: MIT */
/* Where this process's members get their transports: a simulated network of their own, or the
 * corosync of this machine. The only place of the daemon that knows which. */
#pragma once

#include "daemon/io_poller.h"
#include "daemon/settings.h"
#include "transport/transport.h"

typedef struct GroupNetwork GroupNetwork;

/* `poller` is borrowed: what the network waits for is watched there. */
GroupNetwork *group_network_new (const Settings *settings, IoPoller *poller);
/* Transports must have been freed; corosync is told that they left, within
 * LIMIT_COROSYNC_LEAVE_US. */
void group_network_free (GroupNetwork *network);

/* `self` is who it is in a simulated network; corosync has its own names. NULL: too soon after the
 * one before, ask again later. */
Transport *group_network_new_transport (GroupNetwork *network, MemberId self);
/* The transports of `self` end without a word; they remain to be freed. */
void group_network_crash (GroupNetwork *network, MemberId self);
/* Why clients should go elsewhere; NULL: no reason. */
const char *group_network_refusal (const GroupNetwork *network);
/* TRUE: something was delivered, so there may be more. */
gboolean group_network_dispatch (GroupNetwork *network);
gint64 group_network_next_us (const GroupNetwork *network);
