/* SPDX-License-Identifier: MIT */
/* What the files of this folder share and nobody else needs.
 *
 * How the broker's digest is kept. It is a sum, over every part of the model, of what that part
 * adds to it; so a step adds the difference that it makes, and broker_digest only reads.
 *
 *   virtual host, exchange, binding   a hash of what it is
 *   queue                             a hash of what it is, and weight x value for each of its
 *                                     counters (next position, next turn, had a consumer, taken,
 *                                     dropped, purged)
 *   message                           a hash of queue, position and message, times 1, 3, 5 or 7
 *                                     as it is ready or unacked, redelivered or not
 *   consumer                          its weight x what says its turn
 *
 * A weight is an odd number hashed from what the counter belongs to: a step of one then costs an
 * addition. Odd factors lose no bits. */
#pragma once

#include "core/base/digest.h"
#include "core/base/error.h"
#include "core/base/id_map.h"
#include "core/broker/queue_segments.h"
#include "core/broker/vhost.h"

struct Broker
{
  NameMap *vhosts; /* owned */
  guint64 digest;
  /* Not state: found anew from the model, or without any effect on it. */
  IdMap *exclusive_queues; /* of each connection that has some: GPtrArray of Queue, borrowed */
  GPtrArray *garbage;      /* of QueueSegments, owned: what broker_reap frees */
  guint64 n_publishes;     /* stamps the queues that one publish has found already */
  GPtrArray *found;        /* the queues that the present publish finds */
};

/* --- digests of parts (broker_digest.c) */
guint64 vhost_digest (const Vhost *vhost);
guint64 exchange_digest (const Exchange *exchange);
guint64 binding_digest (const Binding *binding);
/* With its counters, without its messages and consumers. */
guint64 queue_digest (const Queue *queue);

static inline guint64
queue_position_weight (const Queue *queue)
{
  return queue->identity | 1;
}

static inline guint64
queue_turn_weight (const Queue *queue)
{
  return digest_mix (queue->identity) | 1;
}

static inline guint64
queue_had_consumer_weight (const Queue *queue)
{
  return digest_mix (queue->identity + 1) | 1;
}

static inline guint64
queue_taken_weight (const Queue *queue)
{
  return digest_mix (queue->identity + 2) | 1;
}

static inline guint64
queue_dropped_weight (const Queue *queue)
{
  return digest_mix (queue->identity + 3) | 1;
}

static inline guint64
queue_purged_weight (const Queue *queue)
{
  return digest_mix (queue->identity + 4) | 1;
}

static inline guint64
consumer_digest (const Consumer *consumer)
{
  return consumer->weight * (2 * consumer->turn + (consumer->available ? 1 : 0) + 1);
}

static inline guint64
place_digest (const Queue *queue, const Place *place)
{
  guint64 digest
      = digest_combine (digest_combine (queue->identity, place->position), place->message->digest);

  return digest * (1 + (place->unacked ? 2 : 0) + (place->redelivered ? 4 : 0));
}

static inline void
queue_add_to_digest (Queue *queue, guint64 difference)
{
  queue->vhost->broker->digest += difference;
}

/* --- life (exchange.c, queue.c, binding.c) */
Exchange *exchange_new (Vhost *vhost, const ExchangeDeclaration *declaration,
                        const ExchangeType *type);
/* It has no bindings any more, unless the whole virtual host goes. */
void exchange_free (Exchange *exchange);
/* The exchange "" of a virtual host: routes by its queues' names. */
Exchange *exchange_new_default (Vhost *vhost);

Queue *queue_new (Vhost *vhost, const QueueDeclaration *declaration, ConnectionId owner);
/* 405 RESOURCE_LOCKED, whoever asks. */
gboolean queue_refuse_access (const Queue *queue, GError **error);
/* Its bindings and its place in the virtual host are gone. Cancels its consumers, gives up its
 * messages; from now on it answers and does nothing. */
void queue_delete (Queue *queue);
/* A message that a consumer takes at once: unacked, or not even that. Returns its position. */
guint64 queue_append_unacked (Queue *queue, Message *message);
guint64 queue_pass (Queue *queue);
/* As queue_enqueue and queue_dispatch, without a detour for a message that need not wait. */
void queue_publish (Queue *queue, Message *message);
/* Gives up what it was hung on without a word to anybody: the whole broker goes. */
void queue_abandon (Queue *queue);

/* In what an exchange finds them by, and in the queue's own list. NULL: they are bound so. */
Binding *binding_add (Exchange *exchange, Queue *queue, Slice routing_key, Slice arguments);
/* NULL: not bound so. */
Binding *binding_lookup (Exchange *exchange, Queue *queue, Slice routing_key, Slice arguments);
void binding_remove (Binding *binding);
void binding_free (Binding *binding);
/* Arrays of bindings in the order of their queues' names, which every member can find anew. */
void binding_array_add (GPtrArray *array, Binding *binding);
void binding_array_remove (GPtrArray *array, Binding *binding);
void binding_array_route (const GPtrArray *array, GPtrArray *queues);

void vhost_add_exchange (Vhost *vhost, Exchange *take_exchange);
void vhost_add_queue (Vhost *vhost, Queue *take_queue);

/* --- consumers: on a queue (consumer.c), and there in the line of available ones, which is in
 * the order of their turns (queue_dispatch.c) */
void consumer_leave_queue (Consumer *consumer); /* all but the queue's array of them */
void consumer_line_up (Consumer *consumer);
void consumer_leave_line (Consumer *consumer);
guint64 queue_take_turn (Queue *queue);

/* --- 406 PRECONDITION_FAILED for a declaration that differs (declaration.c) */

/* "queue 'q' in vhost '/'" */
typedef struct Declared
{
  const char *kind;
  const char *name;
  const char *vhost;
} Declared;

gboolean check_same_text (const Declared *what, const char *name, const char *current,
                          Slice received, GError **error);
gboolean check_same_boolean (const Declared *what, const char *name, gboolean current,
                             gboolean received, GError **error);
gboolean check_same_arguments (const Declared *what, Slice current, Slice received, GError **error);

extern const ExchangeType exchange_type_direct;
extern const ExchangeType exchange_type_fanout;
extern const ExchangeType exchange_type_topic;
