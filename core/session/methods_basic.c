/* SPDX-License-Identifier: MIT */
/* Class basic (0-9-1 section 1.8): publishing, consuming, and settling what was delivered. */
#include "core/broker/vhost.h"
#include "core/session/methods.h"

/* --- publishing ----------------------------------------------------------------------------- */

static void
basic_return (Session *session, Message *message)
{
  Method method = { .id = METHOD_BASIC_RETURN };

  method.basic_return.reply_code = REPLY_NO_ROUTE;
  method.basic_return.reply_text = slice_of_text (reply_code_name (REPLY_NO_ROUTE));
  method.basic_return.exchange = message->exchange;
  method.basic_return.routing_key = message->routing_key;
  session_send_content (session, &method, message);
}

/* A return goes before the message's confirm, as RabbitMQ does it. */
gboolean
methods_basic_published (Session *session, Message *message, gboolean mandatory, GError **error)
{
  Vhost *vhost = session->connection->vhost;
  Exchange *exchange = vhost_require_exchange_of (vhost, message, error);

  if (exchange == NULL)
    return FALSE;
  if (exchange->internal)
    return reply_error (error, REPLY_ACCESS_REFUSED,
                        "cannot publish to internal exchange '%s' in vhost '%s'", exchange->name,
                        vhost->name);
  if (session->confirming)
    session_owes_confirm (session);
  if (!vhost_publish (vhost, exchange, message) && mandatory)
    basic_return (session, message);
  return TRUE;
}

gboolean
methods_basic_publish (Session *session, const BasicPublish *publish, Message *content,
                       GError **error)
{
  if (publish->immediate)
    return reply_error (error, REPLY_NOT_IMPLEMENTED, "immediate=true");
  session_touch (session);
  if (session->content.active)
    return reply_error (error, REPLY_UNEXPECTED_FRAME, "basic.publish within another's content");
  if (content != NULL)
    return methods_basic_published (session, content, publish->mandatory, error);
  content_assembler_publish (&session->content, publish);
  return TRUE;
}

/* --- consuming -------------------------------------------------------------------------------- */

/* `global`: one window for the whole channel; otherwise one for each consumer to come (RabbitMQ's
 * reading of the two, which clients are written for). */
static gboolean
basic_qos (Session *session, const BasicQos *qos, GError **error)
{
  if (qos->prefetch_size != 0)
    return reply_error (error, REPLY_NOT_IMPLEMENTED, "prefetch_size!=0 (%u)", qos->prefetch_size);
  session_touch (session);
  if (qos->global)
    session->prefetch_channel = qos->prefetch_count;
  else
    session->prefetch_next = qos->prefetch_count;
  methods_reply (session, METHOD_BASIC_QOS_OK, FALSE);
  if (qos->global)
    session_serve (session);
  return TRUE;
}

static gboolean
basic_consume (Session *session, const BasicConsume *consume, GError **error)
{
  g_autoptr (Queue) queue = NULL;
  g_autofree char *drawn = NULL;
  Slice tag = consume->consumer_tag;
  Method reply = { .id = METHOD_BASIC_CONSUME_OK };

  queue = methods_require_queue (session, consume->queue, error);
  if (queue == NULL)
    return FALSE;
  queue_ref (queue);
  if (tag.length == 0)
    {
      drawn = session_draw_name (session, "amq.ctag-");
      tag = slice_of_text (drawn);
    }
  if (subscription_start (session, queue, tag, consume->no_ack, consume->exclusive,
                          consume->arguments, error)
      == NULL)
    return FALSE;
  reply.basic_consume_ok.consumer_tag = tag;
  if (!consume->no_wait)
    session_send (session, &reply);
  queue_dispatch (queue);
  return TRUE;
}

static gboolean
basic_cancel (Session *session, const BasicCancel *cancel)
{
  Subscription *subscription = name_map_lookup (session->subscriptions, cancel->consumer_tag);
  Method reply = { .id = METHOD_BASIC_CANCEL_OK };

  if (subscription != NULL)
    subscription_cancel (subscription);
  reply.basic_cancel_ok.consumer_tag = cancel->consumer_tag;
  if (!cancel->no_wait)
    session_send (session, &reply);
  return TRUE;
}

static gboolean
basic_get (Session *session, const BasicGet *get, GError **error)
{
  Queue *queue = methods_require_queue (session, get->queue, error);
  QueueDelivery delivery;
  Method reply = { .id = METHOD_BASIC_GET_EMPTY };
  g_autoptr (Message) message = NULL;

  if (queue == NULL)
    return FALSE;
  if (!queue_get (queue, get->no_ack, &delivery))
    {
      session_send (session, &reply);
      return TRUE;
    }
  message = delivery.message;
  reply.id = METHOD_BASIC_GET_OK;
  reply.basic_get_ok.delivery_tag = session->next_delivery_tag++;
  reply.basic_get_ok.redelivered = delivery.redelivered;
  reply.basic_get_ok.exchange = message->exchange;
  reply.basic_get_ok.routing_key = message->routing_key;
  reply.basic_get_ok.message_count = (guint32) MIN (queue->n_ready, G_MAXUINT32);
  if (!get->no_ack)
    unacked_add (&session->unacked, reply.basic_get_ok.delivery_tag, queue, delivery.position,
                 NULL);
  session_send_content (session, &reply, message);
  return TRUE;
}

/* --- settling -----------------------------------------------------------------------------------
 */

typedef enum Settlement
{
  SETTLE_ACKNOWLEDGE,
  SETTLE_REQUEUE,
  SETTLE_REJECT
} Settlement;

/* Settles one, and remembers its queue, which may have someone to serve now. */
static void
settle_entry (Session *session, UnackedEntry *entry, Settlement settlement, GPtrArray *queues)
{
  Queue *queue = entry->queue;

  switch (settlement)
    {
    case SETTLE_ACKNOWLEDGE:
      queue_acknowledge (queue, entry->position);
      break;
    case SETTLE_REQUEUE:
      queue_requeue (queue, entry->position);
      break;
    case SETTLE_REJECT:
      queue_reject (queue, entry->position);
      break;
    }
  if (entry->subscription != NULL)
    subscription_settled (entry->subscription);
  if (queues->len == 0 || queues->pdata[queues->len - 1] != queue)
    g_ptr_array_add (queues, queue_ref (queue));
  unacked_remove (&session->unacked, entry);
}

static void
settle_up_to (Session *session, guint64 tag, Settlement settlement)
{
  UnackedEntry *entry;

  while ((entry = unacked_first (&session->unacked, tag)) != NULL)
    settle_entry (session, entry, settlement, session->connection->map->settled);
}

/* Who waited for the channel's window is asked again when it was full; as long as it was not,
 * nobody did. */
static void
serve_after_settling (Session *session, gboolean was_full)
{
  GPtrArray *queues = session->connection->map->settled;

  if (was_full)
    session_serve (session);
  for (guint i = 0; i < queues->len; i++)
    queue_dispatch (queues->pdata[i]);
  g_ptr_array_set_size (queues, 0);
}

/* Tag 0 with `multiple` means all (section 1.8.3.13). All are settled before anyone is served,
 * so that a row of requeued messages leaves again in its old order. */
static gboolean
settle (Session *session, guint64 tag, gboolean multiple, Settlement settlement, GError **error)
{
  UnackedEntry *entry = unacked_find (&session->unacked, tag);
  gboolean was_full = session_window_is_full (session);

  if (entry == NULL && !(multiple && tag == 0))
    return reply_error (error, REPLY_PRECONDITION_FAILED, "unknown delivery tag %" G_GUINT64_FORMAT,
                        tag);
  session_touch (session);
  if (multiple)
    settle_up_to (session, tag == 0 ? G_MAXUINT64 : tag, settlement);
  else
    settle_entry (session, entry, settlement, session->connection->map->settled);
  serve_after_settling (session, was_full);
  return TRUE;
}

/* Without requeue it would have to come to the same consumer again; no broker that clients are
 * written for does that. The answer goes before what comes again: so a client knows that all which
 * came before it has been given back, also what was on its way. */
static gboolean
basic_recover (Session *session, gboolean requeue, gboolean synchronous, GError **error)
{
  gboolean was_full = session_window_is_full (session);

  if (!requeue)
    return reply_error (error, REPLY_NOT_IMPLEMENTED, "requeue=false");
  session_touch (session);
  settle_up_to (session, G_MAXUINT64, SETTLE_REQUEUE);
  if (synchronous)
    methods_reply (session, METHOD_BASIC_RECOVER_OK, FALSE);
  serve_after_settling (session, was_full);
  return TRUE;
}

static Settlement
negative (gboolean requeue)
{
  return requeue ? SETTLE_REQUEUE : SETTLE_REJECT;
}

gboolean
methods_basic (Session *session, const Method *method, GError **error)
{
  const BasicAck *ack = &method->basic_ack;
  const BasicNack *nack = &method->basic_nack;
  const BasicReject *reject = &method->basic_reject;

  if (method->id == METHOD_BASIC_PUBLISH)
    return methods_basic_publish (session, &method->basic_publish, NULL, error);
  if (method->id == METHOD_BASIC_ACK)
    return settle (session, ack->delivery_tag, ack->multiple, SETTLE_ACKNOWLEDGE, error);
  if (method->id == METHOD_BASIC_NACK)
    return settle (session, nack->delivery_tag, nack->multiple, negative (nack->requeue), error);
  if (method->id == METHOD_BASIC_REJECT)
    return settle (session, reject->delivery_tag, FALSE, negative (reject->requeue), error);
  if (method->id == METHOD_BASIC_QOS)
    return basic_qos (session, &method->basic_qos, error);
  if (method->id == METHOD_BASIC_CONSUME)
    return basic_consume (session, &method->basic_consume, error);
  if (method->id == METHOD_BASIC_CANCEL)
    return basic_cancel (session, &method->basic_cancel);
  if (method->id == METHOD_BASIC_CANCEL_OK)
    return TRUE;
  if (method->id == METHOD_BASIC_GET)
    return basic_get (session, &method->basic_get, error);
  if (method->id == METHOD_BASIC_RECOVER)
    return basic_recover (session, method->basic_recover.requeue, TRUE, error);
  return basic_recover (session, method->basic_recover_async.requeue, FALSE, error);
}
