/* SPDX-License-Identifier: MIT */
/* A queue: messages at positions that only grow, each ready or unacked.
 *
 * Messages live in segments of LIMIT_SEGMENT_MESSAGES places, each segment counted and copied
 * when it is written while shared: so capturing a queue of a million messages is two thousand
 * references (queue_segments.h), and service goes on.
 *
 * A requeued message goes back to its own position, so its old order is kept. Owned by its
 * vhost; others may hold it with queue_ref across its deletion (an unacked message does): a
 * deleted queue answers every call and does nothing. */
#pragma once

#include "core/base/ids.h"
#include "core/broker/consumer.h"
#include "core/broker/message.h"

typedef struct Vhost Vhost;
typedef struct QueueSegments QueueSegments;

struct Queue
{
  /* What every message looks at stands together. */
  Vhost *vhost; /* borrowed; NULL once deleted */
  QueueSegments *segments;
  Consumer *first_available; /* those that may be asked, lowest turn first: a list */
  Consumer *last_available;
  guint64 n_ready;
  guint64 next_turn;
  guint64 identity; /* digest of vhost and name */
  guint64 found_by; /* the last publish that found it (vhost_publish) */
  guint ref_count;
  guint64 messages_digest; /* sum over all messages: position, state, message */
  guint64 ready_digest;    /* the part of it that the ready messages make */
  guint64 n_unacked;
  guint64 ready_bytes;
  /* Where all others went that ever were here: with those above they are all positions. */
  guint64 n_taken;   /* acknowledged, or given to one who need not */
  guint64 n_dropped; /* refused for good */
  guint64 n_purged;

  char *name;
  gboolean durable;
  gboolean auto_delete;
  gboolean exclusive;
  gboolean had_consumer;
  ConnectionId owner;   /* of an exclusive queue; none otherwise */
  Slice arguments;      /* the table of queue.declare, held */
  GPtrArray *consumers; /* in the order of queue_add_consumer; borrowed */
  GPtrArray *bindings;  /* borrowed, in no order that could matter */
};

Queue *queue_ref (Queue *queue);
void queue_unref (Queue *queue);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Queue, queue_unref)
/* What a deleted queue is to a newcomer that learns of its unacked messages: its identity. */
Queue *queue_new_deleted (guint64 identity);

/* At the end. Takes a reference. Does not dispatch. */
void queue_enqueue (Queue *queue, Message *message);
/* Gives ready messages to available consumers, in order, until either run out. */
void queue_dispatch (Queue *queue);

typedef struct QueueDelivery
{
  guint64 position;
  Message *message; /* a reference, the receiver's */
  gboolean redelivered;
} QueueDelivery;

/* The first ready message, for basic.get: unacked from now on, or gone with `no_ack`. FALSE:
 * empty. */
gboolean queue_get (Queue *queue, gboolean no_ack, QueueDelivery *ret_delivery);

/* Settle an unacked message; `position` must be one that is unacked. */
void queue_acknowledge (Queue *queue, guint64 position);
/* Ready again, at its position, marked redelivered. Does not dispatch, so that a whole row can
 * go back before the first of them leaves again. */
void queue_requeue (Queue *queue, guint64 position);
/* Refused for good: dropped (dead-lettered, once there are dead letters). */
void queue_reject (Queue *queue, guint64 position);
/* The unacked message at a position; borrowed. NULL: there is none. */
Message *queue_peek_unacked (Queue *queue, guint64 position);

/* Drops all ready messages; returns how many. Their memory is freed bit by bit (broker_reap). */
guint64 queue_purge (Queue *queue);
/* Every message that ever came is here, or counted as gone. */
gboolean queue_is_conserved (const Queue *queue);
/* 405 RESOURCE_LOCKED if it is another connection's exclusive queue. */
gboolean queue_check_access (const Queue *queue, ConnectionId connection, GError **error);
