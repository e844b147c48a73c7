/* SPDX-License-Identifier: MIT */
#include "core/broker/broker_internal.h"

/* An odd number that belongs to this consumer on this queue, and to no other. */
static guint64
compute_weight (const Consumer *consumer)
{
  guint64 kind = (consumer->no_ack ? 1 : 0) + (consumer->exclusive ? 2 : 0);
  guint64 digest = digest_combine (consumer->queue->identity, consumer->identity);

  return digest_combine (digest_combine (digest, consumer->added), kind) | 1;
}

static gboolean
is_held_exclusively (const Queue *queue)
{
  const Consumer *first = queue->consumers->len == 0 ? NULL : queue->consumers->pdata[0];

  return first != NULL && first->exclusive;
}

/* At its place among the others, which is nearly always the end. FALSE: another one has it. */
static gboolean
join_others (Queue *queue, Consumer *consumer)
{
  GPtrArray *others = queue->consumers;
  guint at = others->len;

  while (at > 0 && ((const Consumer *) others->pdata[at - 1])->added > consumer->added)
    at--;
  if (at > 0 && ((const Consumer *) others->pdata[at - 1])->added == consumer->added)
    return FALSE;
  g_ptr_array_insert (others, (int) at, consumer);
  return TRUE;
}

static void
join_queue (Queue *queue, Consumer *consumer)
{
  consumer->weight = compute_weight (consumer);
  queue_add_to_digest (queue, consumer_digest (consumer));
  if (consumer->available)
    consumer_line_up (consumer);
}

gboolean
queue_add_consumer (Queue *queue, Consumer *consumer, GError **error)
{
  g_assert (queue->vhost != NULL && consumer->queue == NULL);
  if (is_held_exclusively (queue) || (consumer->exclusive && queue->consumers->len > 0))
    return reply_error (error, REPLY_ACCESS_REFUSED, "queue '%s' in vhost '%s' in exclusive use",
                        queue->name, queue->vhost->name);
  consumer->queue = queue;
  consumer->added = queue_take_turn (queue);
  consumer->turn = consumer->added;
  consumer->available = TRUE;
  if (!join_others (queue, consumer))
    g_assert_not_reached ();
  join_queue (queue, consumer);
  if (!queue->had_consumer)
    queue_add_to_digest (queue, queue_had_consumer_weight (queue));
  queue->had_consumer = TRUE;
  return TRUE;
}

void
consumer_leave_queue (Consumer *consumer)
{
  queue_add_to_digest (consumer->queue, -consumer_digest (consumer));
  if (consumer->available)
    consumer_leave_line (consumer);
  consumer->available = FALSE;
  consumer->queue = NULL;
}

gboolean
queue_remove_consumer (Queue *queue, Consumer *consumer)
{
  g_assert (consumer->queue == queue);
  consumer_leave_queue (consumer);
  if (!g_ptr_array_remove (queue->consumers, consumer))
    g_assert_not_reached ();
  return queue->auto_delete && queue->consumers->len == 0;
}

/* Two that wait longest at once, or an exclusive one that is not alone, is no state. */
static gboolean
is_possible (const Queue *queue, const Consumer *consumer)
{
  const Consumer *other = queue->last_available;

  if (!queue->had_consumer || is_held_exclusively (queue)
      || (consumer->exclusive && queue->consumers->len > 0))
    return FALSE;
  if (consumer->added > consumer->turn || consumer->turn >= queue->next_turn)
    return FALSE;
  while (other != NULL && other->turn > consumer->turn)
    other = other->previous_available;
  return !consumer->available || other == NULL || other->turn < consumer->turn;
}

gboolean
consumer_state (StateCodec *codec, Consumer *consumer)
{
  state_u64 (codec, &consumer->added);
  state_u64 (codec, &consumer->turn);
  state_boolean (codec, &consumer->available);
  if (!state_is_reading (codec))
    return TRUE;
  if (state_is_good (codec) && is_possible (consumer->queue, consumer)
      && join_others (consumer->queue, consumer))
    {
      join_queue (consumer->queue, consumer);
      return TRUE;
    }
  consumer->queue = NULL;
  consumer->available = FALSE;
  state_fail (codec);
  return FALSE;
}
