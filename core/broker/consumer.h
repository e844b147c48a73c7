/* SPDX-License-Identifier: MIT */
/* A subscription: who gets messages of a queue, and in which turn.
 *
 * The next message goes to the available consumer that waits longest. `turn` says since when:
 * the queue's count of turns when it was added, last served, or became available again. So the
 * whole order is plain numbers, equal on every member and given to a newcomer with the rest.
 *
 * A consumer that could not take a message (its prefetch window or its connection's credit is
 * used up) is not asked again until its owner says consumer_available. */
#pragma once

#include "core/broker/message.h"

typedef struct Queue Queue;
typedef struct Consumer Consumer;

/* What the owner (a session) does; called from queue_dispatch and from queue deletion only, and
 * must not call back into the queue. */
typedef struct ConsumerType
{
  /* Window and credit allow one more message. FALSE: not available until consumer_available. */
  gboolean (*can_take) (Consumer *consumer);
  /* The message is assigned; with no_ack it has left the queue already, else it is unacked at
   * `position` until queue_acknowledge, queue_requeue or queue_reject. `message` is borrowed. */
  void (*deliver) (Consumer *consumer, guint64 position, Message *message, gboolean redelivered);
  /* The queue is being deleted: the consumer is off it already; the owner frees it. */
  void (*cancelled) (Consumer *consumer);
} ConsumerType;

/* Embedded in, or owned by, the session's own record of it. */
struct Consumer
{
  const ConsumerType *type;
  gpointer owner;
  guint64 identity; /* digest of what identifies it in the cluster: session and tag */
  Queue *queue;     /* borrowed; NULL while on none */
  gboolean no_ack;
  gboolean exclusive;

  /* kept by consumer.c and queue_dispatch.c */
  guint64 added; /* the queue's count of turns when it was added: its place among the others */
  guint64 turn;
  guint64 weight; /* of its turn, in the broker's digest */
  gboolean available;
  Consumer *previous_available; /* neighbours in the queue's list of available consumers */
  Consumer *next_available;
};

/* Puts it on the queue, as the one that waits shortest. Does not dispatch.
 * REPLY_ACCESS_REFUSED: the queue has an exclusive consumer, or this one asks to be exclusive and
 * there are others. */
gboolean queue_add_consumer (Queue *queue, Consumer *consumer, GError **error);
/* Takes it off its queue. TRUE: the queue was auto-delete and that was its last consumer: the
 * caller deletes it (vhost_delete_queue). */
gboolean queue_remove_consumer (Queue *queue, Consumer *consumer);
/* It may take messages again; nothing happens if it was available. Does not dispatch. */
void consumer_available (Consumer *consumer);

/* Place and turn, for a consumer whose fields above `added` are known; a reader puts it on
 * consumer->queue in its old turn, or fails and sets that to NULL. The order in which the consumers
 * of a queue are read does not matter. */
gboolean consumer_state (StateCodec *codec, Consumer *consumer);
