/* SPDX-License-Identifier: MIT */
/* The inside of a SimNetwork, for sim_network.c, sim_consume.c and sim_partition.c. */
#pragma once

#include "transport/sim_membership.h"
#include "transport/sim_network.h"
#include "transport/time_heap.h"

/* All memberships of one member. */
typedef struct Host
{
  MemberId member;
  GPtrArray *memberships; /* of SimMembership, in the order they were made */
  guint64 n_lives;        /* memberships ever made: each draws its own numbers */
  gboolean paused;
  GArray *held; /* of TimeHeapEntry: what it had sent and is ordered when it goes on */
} Host;

typedef enum OrderKind
{
  ORDER_JOIN,
  ORDER_MESSAGE,
  ORDER_LEAVE,
  ORDER_END
} OrderKind;

typedef struct Order
{
  OrderKind kind;
  SimMembership *from;
  Buffer *bytes;
  guint64 sent_at; /* where its sender's cursor was */
} Order;

struct SimNetwork
{
  SimNetworkOptions options;
  SimTime time;
  GPtrArray *hosts;  /* of Host, in member order; a host stays when its memberships are gone */
  GPtrArray *groups; /* of SimGroup: the logs that are appended to, one for each side of a group */
  GPtrArray *names;  /* of groups ever, by index */
  TimeHeap *orders;  /* of Order */
  guint depth;       /* > 0: inside an event */

  SimComponentOf component_of; /* NULL: nothing is partitioned */
  gpointer component_data;
  guint64 n_partitions;
  guint64 retired_hash;  /* of the logs that nobody appends to any more */
  guint64 retired_views; /* none of them had more: a ring's id is never used again */
};

/* Which component that member's node is in. */
static inline guint
sim_network_component (const SimNetwork *network, MemberId member)
{
  return network->component_of == NULL
             ? 0
             : network->component_of (member.node_id, network->component_data);
}

/* While it is paused. */
void sim_host_hold (Host *host, gint64 time_us, const Order *order);
/* The log of that name for that component; made if there is none. */
SimGroup *sim_network_log (SimNetwork *network, const char *name, guint component);
/* What was held back is on its way again. */
void sim_network_resume_all (SimNetwork *network);
/* Gives what is due its place in the order; the times of what is ordered do not move time on. */
void sim_network_order_early (SimNetwork *network, gint64 horizon_us);

/* NULL: none. */
Host *sim_host_find (const SimNetwork *network, MemberId member);
/* The one after that one, the first for NULL; listeners may make new hosts while we walk. */
Host *sim_host_next (const SimNetwork *network, const Host *host);
/* Forgets what all cursors have passed. */
void sim_network_trim (SimNetwork *network);
