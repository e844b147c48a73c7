/* SPDX-License-Identifier: MIT */
/* One membership of the simulated transport: a cursor into its group's log, the directed messages
 * that wait for it, and when each is consumed. What it sends goes through sim_network.c. */
#pragma once

#include "transport/sim_group.h"

/* A position that no item has yet. */
#define SIM_NOT_ORDERED G_MAXUINT64
/* Items for which one lag is drawn. */
#define SIM_LAG_STRETCH 64

/* SimMembership.limit: none. */
#define SIM_NO_LIMIT G_MAXUINT64

typedef struct SimNetwork SimNetwork;
struct SimNode;

/* Virtual time: during an event, the time of that event. */
typedef struct SimTime
{
  gint64 now_us;
  guint64 deliveries;
} SimTime;

typedef struct SimMembership
{
  Transport transport;
  SimNetwork *network;
  SimTime *time;
  MemberId member;
  struct SimNode *node;
  SimGroup *group;  /* the log that it reads; NULL before transport_join */
  GPtrArray *later; /* of SimGroup: logs that it reads after that one; NULL: none */
  guint64 life;     /* which of its member's memberships this is */
  guint64 seed;     /* of this life in this group */
  gboolean handle_freed;
  gboolean paused; /* with its node */
  gboolean hung;   /* with its host: it consumes nothing, and nobody is told so */
  gboolean gone;   /* with its daemon: nothing of it is ordered any more */
  gboolean fails;  /* it is still to be told so */

  /* reading */
  guint64 joined_at; /* position of its own first view, or SIM_NOT_ORDERED */
  guint64 next;      /* position it consumes next */
  guint64 view_end;  /* position behind the last view that it consumed */
  guint64 limit;     /* in its last log: not consumed before it is known which side has it */
  gint64 last_us;    /* when it consumed the item before */
  gint64 lag_us_min;
  gint64 lag_us_max;
  gint64 lag_us; /* of the items before lag_until */
  guint64 lag_until;
  gint64 each_us;     /* from one item to the next, at the least */
  gint64 remote_us;   /* more for what others sent */
  GArray *inbox;      /* of SimDirected, by (due_us, sender), first in first out of each sender */
  gint64 writable_us; /* when it is told that it may send again; G_MAXINT64: never */

  /* sending */
  guint64 n_orders;
  guint64 n_directed;
  gint64 last_order_us; /* its last multicast, join or leave is ordered then */
  guint n_pending;      /* in the network's heap, or held while it is paused */
  guint32 n_unmet;      /* multicasts since the last merge that it sent before it saw that */
  gsize pending_bytes;
  gboolean told_full;
} SimMembership;

typedef struct SimDirected
{
  gint64 due_us;
  guint64 not_before; /* the receiver must be past that position */
  SimMembership *from;
  Buffer *bytes;
} SimDirected;

SimMembership *sim_membership_new (SimNetwork *network, SimTime *time, MemberId member);
void sim_membership_free (SimMembership *membership);

/* Any 64 bits, a function of (membership, purpose, index) alone. */
guint64 sim_membership_draw (const SimMembership *membership, guint64 purpose, guint64 index);

/* The log that is appended to where it is. */
static inline SimGroup *
sim_membership_log (const SimMembership *membership)
{
  const GPtrArray *later = membership->later;

  return later == NULL ? membership->group : g_ptr_array_index (later, later->len - 1);
}

/* From now on it reads `to` where it read `from`. */
void sim_membership_replace_log (SimMembership *membership, SimGroup *from, SimGroup *to);
/* It reads that one after all others. */
void sim_membership_add_log (SimMembership *membership, SimGroup *group);

/* Where its reading ends for now; a join past its limit is behind that. */
static inline guint64
sim_membership_read_end (const SimMembership *membership)
{
  guint64 end = membership->group->end;

  return membership->later != NULL || end <= membership->limit ? end : membership->limit;
}

/* In the group, in its log, not over: it consumes. */
static inline gboolean
sim_membership_reads (const SimMembership *membership)
{
  return membership->joined_at != SIM_NOT_ORDERED && !membership->transport.over
         && !membership->gone;
}

/* When it consumes something next; G_MAXINT64: nothing is there. */
gint64 sim_membership_next_us (SimMembership *membership);
/* Gives the listener what is due by `horizon_us`, at most `budget` events; returns how many. */
guint sim_membership_consume (SimMembership *membership, gint64 horizon_us, guint budget);

/* `due_us` is made later if something of the same sender waits here for a later time. */
void sim_membership_put_directed (SimMembership *membership, SimMembership *from, gint64 due_us,
                                  Buffer *bytes);
/* It is told that its daemon is gone, and nothing any more. */
void sim_membership_fail (SimMembership *membership);
/* Forgets what waits here of that sender; NULL: of all. */
void sim_membership_drop_directed (SimMembership *membership, const SimMembership *from);
