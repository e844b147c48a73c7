/* SPDX-License-Identifier: MIT */
/* The inside of a SimNetwork, for the files that make it up:
 *
 *   sim_network.c    the calls of a transport
 *   sim_orders.c     from a multicast to its place in the order
 *   sim_consume.c    who consumes when
 *   sim_nodes.c      nodes and rings, and what happens to a node
 *   sim_formation.c  that a loss is noticed, and another ring forms
 *   sim_partition.c  what becomes of the logs then
 *   sim_hearing.c    who hears whom, where that is not simply parts
 *   sim_weather.c    what slows and refuses for a while */
#pragma once

#include "transport/sim_network.h"
#include "transport/sim_ring.h"
#include "transport/time_heap.h"

/* Components of nodes that are in nobody's hearing, with their id. */
#define SIM_ALONE 0x80000000u

/* All memberships of one member. */
typedef struct Host
{
  MemberId member;
  SimNode *node;
  GPtrArray *memberships; /* of SimMembership, in the order they were made */
  guint64 n_lives;        /* memberships ever made: each draws its own numbers */
  gboolean hung;
  gboolean has_lag; /* of its own */
  gint64 lag_us_min;
  gint64 lag_us_max;
  gint64 each_us;       /* from one item that it consumes to the next, at the least */
  gint64 full_until_us; /* multicast says FULL until then */
  GPtrArray *unseen;    /* of Order: ends that nobody was told */
} Host;

struct SimNetwork
{
  SimNetworkOptions options;
  gint64 least_us;
  SimTime time;
  GPtrArray *hosts;  /* of Host, in member order; a host stays when its memberships are gone */
  GPtrArray *nodes;  /* of SimNode, by id; they stay */
  GPtrArray *rings;  /* of SimRing */
  GPtrArray *groups; /* of SimGroup: the logs that are appended to, one for each side of a group */
  GPtrArray *names;  /* of groups ever, by index */
  TimeHeap *orders;  /* of Order: on its way to its node's daemon */
  guint64 n_arrivals;
  guint depth;        /* > 0: inside an event */
  gint64 next_us;     /* as it was last asked for */
  gint64 directed_us; /* the soonest of what was sent to one member, since it was last taken */

  SimComponentOf component_of; /* NULL: all are together */
  gpointer component_data;
  gint64 form_us;       /* rings form by who is heard then; G_MAXINT64: they have */
  gboolean meets_later; /* then those meet that did not at once */
  guint64 n_partitions;
  guint64 n_merges;
  guint64 retired_hash; /* of the logs that nobody appends to any more */
  guint64 n_views;
  guint64 ring_sequence; /* of the rings that formed last */
  const SimNode *reborn; /* up again before its loss was noticed; in the ring that forms now */
  guint reborn_component;

  SimHears hears; /* NULL: as component_of says */
  gpointer hears_data;
  guint64 n_choices; /* of one of the possible rings */
  gint64 choose_us;  /* when the next one is made; G_MAXINT64: there is no other */
  gint64 choose_us_min;
  gint64 choose_us_max;

  gboolean refuses; /* some host's multicasts, some time */
  guint slowness;   /* latencies are so many times as long */
  gint64 slow_until_us;
};

/* --- sim_nodes.c ----------------------------------------------------------------------------- */

/* NULL: none. */
Host *sim_host_find (const SimNetwork *network, MemberId member);
/* Made if there is none; its node is up from now on. */
Host *sim_host_get (SimNetwork *network, MemberId member);
/* The one after that one, the first for NULL; listeners may make new hosts while we walk. */
Host *sim_host_next (const SimNetwork *network, const Host *host);
SimNode *sim_node_find (const SimNetwork *network, guint32 node_id);
/* There must be nodes in it. */
SimRing *sim_network_ring (SimNetwork *network, guint component);
/* Each node to the ring of its component; those that change have a new id, and begin with a
 * synchronisation. */
void sim_network_place_nodes (SimNetwork *network);
void sim_network_free_nodes (SimNetwork *network);

/* NULL for the first; NULL: no more. Those that still count: not of a daemon that is gone. */
SimMembership *sim_next_membership (SimNetwork *network, guint *host, guint *index);

#define for_each_membership(network, membership)                                                   \
  for (guint host_ = 0, index_ = 0;                                                                \
       ((membership) = sim_next_membership (network, &host_, &index_)) != NULL;)

/* --- sim_formation.c ---------------------------------------------------------------------------
 */

/* Who hears whom is not what it was; `noticed`: those that are lost said so. */
void sim_network_hearing_changed (SimNetwork *network, gboolean noticed);
/* At form_us. */
void sim_network_form (SimNetwork *network);

/* --- sim_partition.c ---------------------------------------------------------------------------
 */

/* Members of one log that will be apart consume nothing that their side may turn out not to have.
 */
void sim_network_freeze (SimNetwork *network, const SimRing *ring);
void sim_network_unfreeze (SimNetwork *network);
/* Logs follow the nodes' components. */
void sim_network_divide_logs (SimNetwork *network);

/* A node that was not scheduled finds that it was alone, and is in that ring. */
void sim_network_tell_loss (SimNetwork *network, const SimNode *node, RingId ring);

/* --- sim_hearing.c -----------------------------------------------------------------------------
 */

/* Sets each node's `wanted`. */
void sim_network_find_wanted (SimNetwork *network);
/* At choose_us. */
void sim_network_choose (SimNetwork *network);

/* --- sim_weather.c -----------------------------------------------------------------------------
 */

/* How long that multicast takes until it is ordered, or until its daemon has it. */
gint64 sim_network_latency_us (const SimNetwork *network, guint64 number);
gboolean sim_network_is_full (const SimNetwork *network, SimMembership *from, gsize size);

/* --- sim_orders.c ------------------------------------------------------------------------------
 */

void sim_network_send (SimMembership *from, OrderKind kind, Buffer *bytes);
/* Gives what is due its place in the order; the times of what is ordered do not move time on. */
void sim_network_order_early (SimNetwork *network, gint64 horizon_us);
/* What waits at that node, if it may have its place now. */
void sim_network_release (SimNetwork *network, SimNode *node);
/* What waits there has its place now. */
void sim_network_flush (SimNetwork *network, SimNode *node);
/* What that membership sent and is not ordered is lost; `daemon_too`: also what the daemon has. */
void sim_network_drop_orders (SimMembership *from, gboolean daemon_too);
void sim_network_drop_all_orders (SimNetwork *network);
/* It is listed no more, at once. */
void sim_network_say_goodbye (SimMembership *from);
/* Its end is ordered when sim_network_show_unseen is called; the time of that is returned. */
void sim_network_keep_unseen (SimMembership *from);
gint64 sim_network_show_unseen (SimNetwork *network, Host *host);

/* --- sim_network.c -----------------------------------------------------------------------------
 */

typedef enum SimEnd
{
  SIM_END_SEEN,   /* the others are told */
  SIM_END_UNSEEN, /* not before it joins again */
  SIM_END_OF_NODE /* they will be told that the node is lost */
} SimEnd;

/* It is over without another event. */
void sim_membership_end (SimMembership *self, SimEnd how);
/* It will be told that it failed, if it is not over. */
void sim_membership_lose_daemon (SimMembership *self);
void sim_membership_forget_if_done (SimMembership *membership);
/* The log of that name for that component; made if there is none. */
SimGroup *sim_network_log (SimNetwork *network, const char *name, guint component);
/* Forgets what all cursors have passed. */
void sim_network_trim (SimNetwork *network);
