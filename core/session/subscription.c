/* SPDX-License-Identifier: MIT */
/* A session's consumers: what a queue asks of them, and what they tell their client. */
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/broker/vhost.h"
#include "core/session/session.h"

/* Bytes of a basic.deliver's arguments besides its strings: class, method, delivery tag, bits,
 * and a length octet for each of the three strings. */
#define DELIVER_FIXED_BYTES (4 + 8 + 1 + 3)

/* What a delivery costs on the wire, frames included: every member reckons the same. */
static gsize
delivery_bytes (const Subscription *subscription, const Message *message)
{
  gsize payload_max = subscription->session->connection->frame_max - LIMIT_FRAME_OVERHEAD;
  gsize n_body_frames = (message->body_size + payload_max - 1) / payload_max;

  return LIMIT_FRAME_OVERHEAD * (2 + n_body_frames) + DELIVER_FIXED_BYTES
         + strlen (subscription->tag) + message->exchange.length + message->routing_key.length
         + message->header.length + message->body_size;
}

gboolean
session_window_is_full (const Session *session)
{
  return session->prefetch_channel > 0
         && session->unacked.n_of_consumers >= session->prefetch_channel;
}

static gboolean
can_take (Consumer *consumer)
{
  const Subscription *subscription = consumer->owner;
  const Session *session = subscription->session;

  if (connection_must_wait (session->connection))
    return FALSE;
  if (consumer->no_ack)
    return TRUE;
  if (subscription->prefetch > 0 && subscription->n_unacked >= subscription->prefetch)
    return FALSE;
  return !session_window_is_full (session);
}

static void
deliver (Consumer *consumer, guint64 position, Message *message, gboolean redelivered)
{
  Subscription *subscription = consumer->owner;
  Session *session = subscription->session;
  guint64 tag = session->next_delivery_tag++;
  Method method = { .id = METHOD_BASIC_DELIVER };

  if (!consumer->no_ack)
    {
      unacked_add (&session->unacked, tag, consumer->queue, position, subscription);
      subscription->n_unacked++;
    }
  method.basic_deliver.consumer_tag = slice_of_text (subscription->tag);
  method.basic_deliver.delivery_tag = tag;
  method.basic_deliver.redelivered = redelivered;
  method.basic_deliver.exchange = message->exchange;
  method.basic_deliver.routing_key = message->routing_key;
  session_send_content (session, &method, message);
  connection_take_credit (session->connection, delivery_bytes (subscription, message));
}

static void
subscription_free (Subscription *subscription)
{
  g_free (subscription->tag);
  slice_release (&subscription->arguments);
  g_free (subscription);
}

/* Out of its session: what it was given stays unacked, and in the channel's window. */
static void
forget (Subscription *subscription)
{
  Session *session = subscription->session;

  session_touch (session);
  if (subscription->n_unacked > 0)
    unacked_forget_subscription (&session->unacked, subscription);
  name_map_remove (session->subscriptions, slice_of_text (subscription->tag));
  subscription_free (subscription);
}

/* The queue was deleted: the client is told, if it said that it understands
 * (consumer_cancel_notify, RabbitMQ's extension). */
static void
cancelled (Consumer *consumer)
{
  Subscription *subscription = consumer->owner;
  Session *session = subscription->session;
  Method method = { .id = METHOD_BASIC_CANCEL };

  if (session->connection->wants_cancel_notify)
    {
      method.basic_cancel.consumer_tag = slice_of_text (subscription->tag);
      method.basic_cancel.no_wait = TRUE;
      session_send (session, &method);
    }
  forget (subscription);
}

static const ConsumerType subscription_type = {
  .can_take = can_take,
  .deliver = deliver,
  .cancelled = cancelled,
};

static Subscription *
subscription_new (Session *session, Slice tag)
{
  Subscription *subscription = g_new0 (Subscription, 1);
  guint64 identity = digest_slice (digest_session (3, session->id), tag);

  subscription->session = session;
  subscription->tag = slice_to_text (tag);
  subscription->consumer = (Consumer){
    .type = &subscription_type,
    .owner = subscription,
    .identity = identity,
  };
  return subscription;
}

Subscription *
subscription_start (Session *session, Queue *queue, Slice tag, gboolean no_ack, gboolean exclusive,
                    Slice arguments, GError **error)
{
  Subscription *subscription;

  if (name_map_lookup (session->subscriptions, tag) != NULL)
    {
      reply_error (error, REPLY_NOT_ALLOWED, "attempt to reuse consumer tag '%.*s'",
                   (int) tag.length, (const char *) tag.bytes);
      return NULL;
    }
  subscription = subscription_new (session, tag);
  subscription->consumer.no_ack = no_ack;
  subscription->consumer.exclusive = exclusive;
  if (!queue_add_consumer (queue, &subscription->consumer, error))
    {
      subscription_free (subscription);
      return NULL;
    }
  subscription->arguments = slice_hold (arguments);
  subscription->prefetch = session->prefetch_next;
  name_map_insert (session->subscriptions, tag, subscription);
  session_touch (session);
  return subscription;
}

void
subscription_cancel (Subscription *subscription)
{
  Queue *queue = subscription->consumer.queue;
  gboolean was_last = queue_remove_consumer (queue, &subscription->consumer);
  guint64 n_messages;

  forget (subscription);
  if (was_last)
    vhost_delete_queue (queue->vhost, queue, FALSE, FALSE, &n_messages, NULL);
}

void
subscription_settled (Subscription *subscription)
{
  g_assert (subscription->n_unacked > 0);
  subscription->n_unacked--;
  consumer_available (&subscription->consumer);
}

void
session_available (Session *session, GPtrArray *queues)
{
  NameMapIter iter = name_map_iter (session->subscriptions);
  gpointer value;

  while (name_map_next (&iter, NULL, &value))
    {
      Subscription *subscription = value;

      consumer_available (&subscription->consumer);
      g_ptr_array_add (queues, queue_ref (subscription->consumer.queue));
    }
}

void
session_serve (Session *session)
{
  GPtrArray *queues = queues_to_serve_new ();

  session_available (session, queues);
  queues_serve (session->connection->map, queues);
}

/* --- as state ------------------------------------------------------------------------------- */

guint64
subscription_digest (const Subscription *subscription)
{
  const Consumer *consumer = &subscription->consumer;
  guint64 digest = digest_combine (consumer->identity, consumer->queue->identity);

  digest = digest_combine (digest, (guint64) consumer->no_ack * 2 + (guint64) consumer->exclusive);
  digest = digest_slice (digest, subscription->arguments);
  digest = digest_combine (digest, subscription->prefetch);
  return digest_combine (digest, subscription->n_unacked);
}

static gboolean
subscription_state (StateCodec *codec, Subscription *subscription)
{
  Consumer *consumer = &subscription->consumer;

  state_boolean (codec, &consumer->no_ack);
  state_boolean (codec, &consumer->exclusive);
  state_slice (codec, &subscription->arguments);
  state_u32 (codec, &subscription->prefetch);
  return consumer_state (codec, consumer);
}

/* A reader's name of a queue of the session's vhost; NULL: failed. */
static Queue *
queue_name_read (StateCodec *codec, const Session *session)
{
  char *name = NULL;
  g_autofree char *owned = NULL;
  Queue *queue = NULL;

  state_text (codec, &name);
  owned = name;
  if (name != NULL)
    queue = vhost_lookup_queue (session->connection->vhost, slice_of_text (name));
  if (queue == NULL)
    state_fail (codec);
  return queue;
}

static gboolean
subscription_read (StateCodec *codec, Session *session)
{
  char *tag = NULL;
  g_autofree char *owned = NULL;
  Queue *queue;
  Subscription *subscription;

  state_text (codec, &tag);
  owned = tag;
  queue = queue_name_read (codec, session);
  if (queue == NULL || tag == NULL
      || name_map_lookup (session->subscriptions, slice_of_text (tag)) != NULL)
    {
      state_fail (codec);
      return FALSE;
    }
  subscription = subscription_new (session, slice_of_text (tag));
  subscription->consumer.queue = queue;
  if (!subscription_state (codec, subscription))
    {
      subscription_free (subscription);
      return FALSE;
    }
  name_map_insert (session->subscriptions, slice_of_text (tag), subscription);
  return TRUE;
}

gboolean
subscriptions_state (StateCodec *codec, Session *session)
{
  guint count = state_count (codec, name_map_size (session->subscriptions));
  NameMapIter iter;
  gpointer value;

  if (state_is_reading (codec))
    {
      for (guint i = 0; i < count && subscription_read (codec, session); i++)
        ;
      return state_is_good (codec);
    }
  for (iter = name_map_iter (session->subscriptions); name_map_next (&iter, NULL, &value);)
    {
      Subscription *subscription = value;

      state_text (codec, &subscription->tag);
      state_text (codec, &subscription->consumer.queue->name);
      subscription_state (codec, subscription);
    }
  return TRUE;
}

/* The queue of an unacked message, a reference; a deleted one is known by its identity alone. */
static Queue *
unacked_queue_state (StateCodec *codec, const Session *session, Queue *queue, guint64 position)
{
  gboolean is_deleted = queue != NULL && queue->vhost == NULL;
  guint64 identity = is_deleted ? queue->identity : 0;

  state_boolean (codec, &is_deleted);
  if (is_deleted)
    {
      state_u64 (codec, &identity);
      return state_is_reading (codec) && state_is_good (codec) ? queue_new_deleted (identity)
                                                               : NULL;
    }
  if (!state_is_reading (codec))
    {
      state_text (codec, &queue->name);
      return NULL;
    }
  queue = queue_name_read (codec, session);
  if (queue != NULL && queue_peek_unacked (queue, position) == NULL)
    state_fail (codec);
  return queue == NULL ? NULL : queue_ref (queue);
}

static gboolean
unacked_read (StateCodec *codec, Session *session)
{
  Unacked *unacked = &session->unacked;
  guint64 tag = 0, position = 0;
  char *subscription_tag = NULL;
  gboolean of_cancelled = FALSE;
  g_autofree char *owned = NULL;
  Subscription *subscription = NULL;
  g_autoptr (Queue) queue = NULL;

  state_u64 (codec, &tag);
  state_u64 (codec, &position);
  queue = unacked_queue_state (codec, session, NULL, position);
  state_text (codec, &subscription_tag);
  state_boolean (codec, &of_cancelled);
  owned = subscription_tag;
  if (subscription_tag != NULL)
    subscription = name_map_lookup (session->subscriptions, slice_of_text (subscription_tag));
  if (!state_is_good (codec) || tag == 0 || (subscription_tag != NULL && subscription == NULL)
      || (of_cancelled && subscription != NULL)
      || (unacked->count > 0 && unacked->entries[unacked->end - 1].delivery_tag >= tag))
    {
      state_fail (codec);
      return FALSE;
    }
  if (of_cancelled)
    unacked_add_of_cancelled (unacked, tag, queue, position);
  else
    unacked_add (unacked, tag, queue, position, subscription);
  if (subscription != NULL)
    subscription->n_unacked++;
  return TRUE;
}

gboolean
session_unacked_state (StateCodec *codec, Session *session)
{
  guint count = state_count (codec, session->unacked.count);
  UnackedEntry *entry;

  if (state_is_reading (codec))
    {
      for (guint i = 0; i < count && unacked_read (codec, session); i++)
        ;
      return state_is_good (codec);
    }
  for (entry = unacked_first (&session->unacked, G_MAXUINT64); entry != NULL;
       entry = unacked_next (&session->unacked, entry))
    {
      char *no_tag = NULL;
      gboolean of_cancelled;

      state_u64 (codec, &entry->delivery_tag);
      state_u64 (codec, &entry->position);
      unacked_queue_state (codec, session, entry->queue, entry->position);
      of_cancelled = entry->of_consumer && entry->subscription == NULL;
      state_text (codec, entry->subscription != NULL ? &entry->subscription->tag : &no_tag);
      state_boolean (codec, &of_cancelled);
    }
  return TRUE;
}
