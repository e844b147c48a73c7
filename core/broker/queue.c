/* SPDX-License-Identifier: MIT */
#include "core/broker/broker_internal.h"

Queue *
queue_new (Vhost *vhost, const QueueDeclaration *declaration, ConnectionId owner)
{
  Queue *queue = g_new0 (Queue, 1);

  queue->ref_count = 1;
  queue->vhost = vhost;
  queue->name = slice_to_text (declaration->name);
  queue->durable = declaration->durable;
  queue->auto_delete = declaration->auto_delete;
  queue->exclusive = declaration->exclusive;
  if (queue->exclusive)
    queue->owner = owner;
  queue->arguments = slice_hold (declaration->arguments);
  queue->identity = digest_slice (digest_text (0, vhost->name), declaration->name);
  queue->segments = queue_segments_new ();
  queue->consumers = g_ptr_array_new ();
  queue->bindings = g_ptr_array_new ();
  return queue;
}

Queue *
queue_new_deleted (guint64 identity)
{
  Queue *queue = g_new0 (Queue, 1);

  queue->ref_count = 1;
  queue->identity = identity;
  queue->segments = queue_segments_new ();
  queue->consumers = g_ptr_array_new ();
  queue->bindings = g_ptr_array_new ();
  return queue;
}

Queue *
queue_ref (Queue *queue)
{
  queue->ref_count++;
  return queue;
}

void
queue_unref (Queue *queue)
{
  g_assert (queue->ref_count > 0);
  if (--queue->ref_count > 0)
    return;
  g_assert (queue->consumers->len == 0 && queue->bindings->len == 0);
  queue_segments_free (queue->segments);
  g_ptr_array_unref (queue->consumers);
  g_ptr_array_unref (queue->bindings);
  slice_release (&queue->arguments);
  g_free (queue->name);
  g_free (queue);
}

static void
forget_messages (Queue *queue)
{
  queue->n_ready = 0;
  queue->n_unacked = 0;
  queue->ready_bytes = 0;
  queue->ready_digest = 0;
  queue->messages_digest = 0;
}

void
queue_delete (Queue *queue)
{
  Broker *broker = queue->vhost->broker;
  g_autoptr (GPtrArray) consumers = g_steal_pointer (&queue->consumers);

  queue->consumers = g_ptr_array_new ();
  for (guint i = 0; i < consumers->len; i++)
    {
      Consumer *consumer = consumers->pdata[i];

      consumer_leave_queue (consumer);
      consumer->type->cancelled (consumer);
    }
  queue_add_to_digest (queue, -(queue_digest (queue) + queue->messages_digest));
  broker_free_later (broker, g_steal_pointer (&queue->segments));
  queue->segments = queue_segments_new ();
  forget_messages (queue);
  queue->vhost = NULL;
}

void
queue_abandon (Queue *queue)
{
  for (guint i = 0; i < queue->consumers->len; i++)
    consumer_leave_queue (queue->consumers->pdata[i]);
  g_ptr_array_set_size (queue->consumers, 0);
  g_ptr_array_set_size (queue->bindings, 0);
  queue_segments_free (queue->segments);
  queue->segments = queue_segments_new ();
  forget_messages (queue);
  queue->vhost = NULL;
}

/* Both sums and the counts follow from what a place was and is; NULL: no place. */
static void
count_change (Queue *queue, const Place *was, const Place *is)
{
  guint64 difference = 0;

  if (was != NULL)
    {
      guint64 digest = place_digest (queue, was);

      difference -= digest;
      if (was->unacked)
        queue->n_unacked--;
      else
        {
          queue->n_ready--;
          queue->ready_bytes -= was->message->body_size;
          queue->ready_digest -= digest;
        }
    }
  if (is != NULL)
    {
      guint64 digest = place_digest (queue, is);

      difference += digest;
      if (is->unacked)
        queue->n_unacked++;
      else
        {
          queue->n_ready++;
          queue->ready_bytes += is->message->body_size;
          queue->ready_digest += digest;
        }
    }
  queue->messages_digest += difference;
  queue_add_to_digest (queue, difference);
}

static guint64
append (Queue *queue, Message *message, gboolean unacked)
{
  Place is = { .message = message, .unacked = unacked };

  is.position = queue_segments_append (queue->segments, message_ref (message), unacked);
  count_change (queue, NULL, &is);
  queue_add_to_digest (queue, queue_position_weight (queue));
  return is.position;
}

void
queue_enqueue (Queue *queue, Message *message)
{
  if (queue->vhost != NULL)
    append (queue, message, FALSE);
}

guint64
queue_append_unacked (Queue *queue, Message *message)
{
  return append (queue, message, TRUE);
}

static void
count_taken (Queue *queue)
{
  queue->n_taken++;
  queue_add_to_digest (queue, queue_taken_weight (queue));
}

guint64
queue_pass (Queue *queue)
{
  count_taken (queue);
  queue_add_to_digest (queue, queue_position_weight (queue));
  return queue_segments_skip (queue->segments);
}

gboolean
queue_get (Queue *queue, gboolean no_ack, QueueDelivery *ret_delivery)
{
  Place was, is;

  if (!queue_segments_take_first (queue->segments, !no_ack, &was))
    return FALSE;
  is = was;
  is.unacked = TRUE;
  count_change (queue, &was, no_ack ? NULL : &is);
  if (no_ack)
    count_taken (queue);
  ret_delivery->position = was.position;
  ret_delivery->message = no_ack ? was.message : message_ref (was.message);
  ret_delivery->redelivered = was.redelivered;
  return TRUE;
}

/* An unacked message leaves for good. */
static void
settle (Queue *queue, guint64 position)
{
  Place was;

  queue_segments_settle (queue->segments, position, &was);
  count_change (queue, &was, NULL);
  message_unref (was.message);
}

void
queue_acknowledge (Queue *queue, guint64 position)
{
  if (queue->vhost == NULL)
    return;
  settle (queue, position);
  count_taken (queue);
}

void
queue_requeue (Queue *queue, guint64 position)
{
  Place was, is;

  if (queue->vhost == NULL)
    return;
  queue_segments_requeue (queue->segments, position, &was);
  is = was;
  is.unacked = FALSE;
  is.redelivered = TRUE;
  count_change (queue, &was, &is);
}

void
queue_reject (Queue *queue, guint64 position)
{
  if (queue->vhost == NULL)
    return;
  settle (queue, position);
  queue->n_dropped++;
  queue_add_to_digest (queue, queue_dropped_weight (queue));
}

Message *
queue_peek_unacked (Queue *queue, guint64 position)
{
  Place place;

  return queue_segments_peek_unacked (queue->segments, position, &place) ? place.message : NULL;
}

guint64
queue_purge (Queue *queue)
{
  guint64 n_ready = queue->n_ready;

  if (n_ready == 0)
    return 0;
  broker_free_later (queue->vhost->broker, queue_segments_drop_ready (queue->segments));
  queue->messages_digest -= queue->ready_digest;
  queue_add_to_digest (queue, -queue->ready_digest);
  queue->n_ready = 0;
  queue->ready_bytes = 0;
  queue->ready_digest = 0;
  queue->n_purged += n_ready;
  queue_add_to_digest (queue, queue_purged_weight (queue) * n_ready);
  return n_ready;
}

gboolean
queue_is_conserved (const Queue *queue)
{
  return queue->n_ready + queue->n_unacked + queue->n_taken + queue->n_dropped + queue->n_purged
         == queue_segments_next_position (queue->segments);
}

gboolean
queue_refuse_access (const Queue *queue, GError **error)
{
  return reply_error (error, REPLY_RESOURCE_LOCKED,
                      "cannot obtain exclusive access to locked queue '%s' in vhost '%s'. It could "
                      "be originally declared on another connection or the exclusive property "
                      "value does not match that of the original declaration.",
                      queue->name, queue->vhost == NULL ? "" : queue->vhost->name);
}

gboolean
queue_check_access (const Queue *queue, ConnectionId connection, GError **error)
{
  return !queue->exclusive || connection_id_equal (queue->owner, connection)
         || queue_refuse_access (queue, error);
}
