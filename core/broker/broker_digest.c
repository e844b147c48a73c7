/* SPDX-License-Identifier: MIT */
/* What each part of the model adds to the broker's digest (broker_internal.h), and the sum of it
 * all from nothing. */
#include "core/broker/broker.h"
#include "core/broker/broker_internal.h"

/* First in every hash, so that parts of different kinds with equal names differ. */
typedef enum PartKind
{
  PART_VHOST = 1,
  PART_EXCHANGE,
  PART_BINDING,
  PART_QUEUE
} PartKind;

guint64
vhost_digest (const Vhost *vhost)
{
  return digest_text (PART_VHOST, vhost->name);
}

guint64
exchange_digest (const Exchange *exchange)
{
  guint64 flags = (exchange->durable ? 1 : 0) + (exchange->auto_delete ? 2 : 0)
                  + (exchange->internal ? 4 : 0) + (exchange->predeclared ? 8 : 0);
  guint64 digest = digest_text (PART_EXCHANGE, exchange->vhost->name);

  digest = digest_text (digest, exchange->name);
  digest = digest_text (digest, exchange->type->name);
  digest = digest_combine (digest, flags);
  return digest_slice (digest, exchange->arguments);
}

guint64
binding_digest (const Binding *binding)
{
  guint64 digest = digest_text (PART_BINDING, binding->exchange->vhost->name);

  digest = digest_text (digest, binding->exchange->name);
  digest = digest_text (digest, binding->queue->name);
  digest = digest_text (digest, binding->routing_key);
  return digest_slice (digest, binding->arguments);
}

guint64
queue_digest (const Queue *queue)
{
  guint64 flags
      = (queue->durable ? 1 : 0) + (queue->auto_delete ? 2 : 0) + (queue->exclusive ? 4 : 0);
  guint64 digest = digest_combine (PART_QUEUE, queue->identity);

  digest = digest_combine (digest, flags);
  digest = digest_connection (digest, queue->owner);
  digest = digest_slice (digest, queue->arguments);
  digest += queue_position_weight (queue) * queue_segments_next_position (queue->segments);
  digest += queue_turn_weight (queue) * queue->next_turn;
  digest += queue_taken_weight (queue) * queue->n_taken;
  digest += queue_dropped_weight (queue) * queue->n_dropped;
  digest += queue_purged_weight (queue) * queue->n_purged;
  digest += queue->had_consumer ? queue_had_consumer_weight (queue) : 0;
  return digest;
}

guint64
broker_digest (Broker *broker)
{
  return broker->digest;
}

static guint64
sum_of_exchange (const Exchange *exchange)
{
  NameMapIter iter = name_map_iter (exchange->bindings);
  guint64 sum = exchange_digest (exchange);
  gpointer binding;

  while (name_map_next (&iter, NULL, &binding))
    sum += binding_digest (binding);
  return sum;
}

static guint64
sum_of_queue (const Queue *queue)
{
  QueueSegmentsIter iter = queue_segments_iter (queue->segments);
  guint64 sum = queue_digest (queue);
  Place place;

  while (queue_segments_next (&iter, &place))
    sum += place_digest (queue, &place);
  for (guint i = 0; i < queue->consumers->len; i++)
    sum += consumer_digest (queue->consumers->pdata[i]);
  return sum;
}

static guint64
sum_of_vhost (const Vhost *vhost)
{
  NameMapIter exchanges = name_map_iter (vhost->exchanges);
  NameMapIter queues = name_map_iter (vhost->queues);
  guint64 sum = vhost_digest (vhost);
  gpointer part;

  while (name_map_next (&exchanges, NULL, &part))
    sum += sum_of_exchange (part);
  while (name_map_next (&queues, NULL, &part))
    sum += sum_of_queue (part);
  return sum;
}

guint64
broker_digest_in_full (Broker *broker)
{
  NameMapIter iter = name_map_iter (broker->vhosts);
  guint64 sum = 0;
  gpointer vhost;

  while (name_map_next (&iter, NULL, &vhost))
    sum += sum_of_vhost (vhost);
  return sum;
}
