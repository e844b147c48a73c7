/* SPDX-License-Identifier: MIT */
/* Nodes that hear each other, what their daemons have accepted and not ordered yet, and when that
 * gets its place.
 *
 * Mostly nothing waits here. It does while the ring stands still (a loss is being noticed, a link
 * blinks, services synchronise), while a node is paused, and always where the timing is a token
 * ring's. That one is calculated, not stepped: the token stands somewhere at some time, goes on by
 * one node each hop, and whatever node has something to send is visited when it passes there:
 *
 *     frames of a visit   <= 17, and so many that the last rotation had <= 50
 *     bytes of a visit    <= frames x frame payload; each message costs 191 bytes more than it has
 *     the token leaves    hop + packets x packet time later
 *     idle for 30 rounds  the lowest node holds it; the next message costs one hop more
 *
 * A message is ordered when its last byte is on the wire; others than its sender have it one hop
 * later (sim_membership.h). */
#pragma once

#include "transport/sim_membership.h"
#include "transport/sim_timing.h"

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
  Buffer *bytes;   /* a message's */
  guint64 merge;   /* the last one that its sender had been told */
  guint64 arrival; /* when its daemon got it, among all others */
  struct Order *next;
} Order;

/* SimRing.stalled_until_us: nothing waits for that. */
#define SIM_NOT_STALLED (-1)

typedef struct SimRing SimRing;

typedef struct SimNode
{
  guint32 node_id;
  guint component; /* of its ring */
  guint wanted;    /* where it belongs by who can be heard now */
  SimRing *ring;   /* NULL: it is down */
  gboolean down;
  gboolean paused;
  Order *head; /* accepted, first in first out */
  Order *tail;
  gsize queued;   /* bytes of them, with what each costs more */
  gsize sent;     /* bytes of the first one that are on the wire already */
  guint n_frames; /* that it sent when the token was here last */
} SimNode;

struct SimRing
{
  guint component;
  RingId id;
  GPtrArray *nodes;        /* of SimNode, by id; borrowed */
  gint64 stalled_until_us; /* nothing is ordered before; G_MAXINT64: until another ring forms */
  gint64 syncing_until_us; /* until then multicast says FULL */
  guint n_queued;          /* orders of all its nodes */
  guint slowness;          /* hops take so many times as long; 1: as ever */
  gint64 slow_until_us;
  guint at;        /* index of the node that the token comes to */
  gint64 token_ns; /* when it does */
  guint n_frames;  /* of the last rotation */
};

typedef void (*SimOrdered) (Order *order, gint64 ordered_us, gpointer user_data);

SimRing *sim_ring_new (guint component);
void sim_ring_free (SimRing *ring);
void sim_ring_add (SimRing *ring, SimNode *node);
void sim_ring_remove (SimRing *ring, SimNode *node);

/* Takes `order`. The ring's time is `now_us`. */
void sim_node_queue (SimNode *node, Order *order, const SimTiming *timing, gint64 now_us);
/* Takes out and frees (order_free) those of that membership; NULL: all. */
void sim_node_drop (SimNode *node, const SimMembership *from, GFunc order_free);

static inline gboolean
sim_ring_is_stalled (const SimRing *ring, gint64 now_us)
{
  return now_us < ring->stalled_until_us;
}

/* Nothing of it is ordered until then, if not for longer anyway. */
void sim_ring_stall (SimRing *ring, gint64 until_us);
/* When something of what waits gets its place; G_MAXINT64: nothing does by itself. */
gint64 sim_ring_next_us (SimRing *ring, const SimTiming *timing);
/* That time is `now_us`: gives away one visit's orders, or all. */
void sim_ring_order (SimRing *ring, const SimTiming *timing, gint64 now_us, SimOrdered ordered,
                     gpointer user_data);
/* All that waits at that node, whatever it waits for. */
void sim_node_flush (SimNode *node, gint64 now_us, SimOrdered ordered, gpointer user_data);
/* The same, unless its ring waits for a token or stands still. */
void sim_node_release (SimNode *node, const SimTiming *timing, gint64 now_us, SimOrdered ordered,
                       gpointer user_data);
