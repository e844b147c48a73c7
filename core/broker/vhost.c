/* SPDX-License-Identifier: MIT */
#include "core/broker/vhost.h"
#include "core/broker/broker_internal.h"

#define RESERVED_PREFIX "amq."

void
vhost_add_exchange (Vhost *vhost, Exchange *take_exchange)
{
  name_map_insert (vhost->exchanges, slice_of_text (take_exchange->name), take_exchange);
  vhost->broker->digest += exchange_digest (take_exchange);
}

Vhost *
vhost_new (Broker *broker, Slice name)
{
  static const char *const predeclared[][2]
      = { { "amq.direct", "direct" }, { "amq.fanout", "fanout" }, { "amq.topic", "topic" } };
  Vhost *vhost = g_new0 (Vhost, 1);

  vhost->broker = broker;
  vhost->name = slice_to_text (name);
  vhost->exchanges = name_map_new ();
  vhost->queues = name_map_new ();
  vhost_add_exchange (vhost, exchange_new_default (vhost));
  for (guint i = 0; i < G_N_ELEMENTS (predeclared); i++)
    {
      ExchangeDeclaration declaration
          = { .name = slice_of_text (predeclared[i][0]), .durable = TRUE };
      Exchange *exchange = exchange_new (vhost, &declaration,
                                         exchange_type_lookup (slice_of_text (predeclared[i][1])));

      exchange->predeclared = TRUE;
      vhost_add_exchange (vhost, exchange);
    }
  return vhost;
}

void
vhost_free (Vhost *vhost)
{
  NameMapIter exchanges = name_map_iter (vhost->exchanges);
  NameMapIter queues = name_map_iter (vhost->queues);
  gpointer part;

  while (name_map_next (&exchanges, NULL, &part))
    exchange_free (part);
  while (name_map_next (&queues, NULL, &part))
    {
      queue_abandon (part);
      queue_unref (part);
    }
  name_map_free (vhost->exchanges);
  name_map_free (vhost->queues);
  g_free (vhost->name);
  g_free (vhost);
}

static gboolean
is_reserved (Slice name)
{
  return name.length >= strlen (RESERVED_PREFIX)
         && memcmp (name.bytes, RESERVED_PREFIX, strlen (RESERVED_PREFIX)) == 0;
}

static gboolean
refuse_reserved (const char *kind, Slice name, GError **error)
{
  return reply_error (error, REPLY_ACCESS_REFUSED,
                      "%s name '%.*s' contains reserved prefix 'amq.*'", kind, (int) name.length,
                      (const char *) name.bytes);
}

static gboolean
refuse_default (GError **error)
{
  return reply_error (error, REPLY_ACCESS_REFUSED,
                      "operation not permitted on the default exchange");
}

/* --- exchanges */

Exchange *
vhost_lookup_exchange (Vhost *vhost, Slice name)
{
  return name_map_lookup (vhost->exchanges, name);
}

static Exchange *
require (const Vhost *vhost, Exchange *exchange, Slice name, GError **error)
{
  if (exchange == NULL)
    reply_error (error, REPLY_NOT_FOUND, "no exchange '%.*s' in vhost '%s'", (int) name.length,
                 (const char *) name.bytes, vhost->name);
  return exchange;
}

Exchange *
vhost_require_exchange (Vhost *vhost, Slice name, GError **error)
{
  return require (vhost, vhost_lookup_exchange (vhost, name), name, error);
}

Exchange *
vhost_require_exchange_of (Vhost *vhost, const Message *message, GError **error)
{
  Exchange *exchange
      = name_map_lookup_hashed (vhost->exchanges, message->exchange, message->exchange_hash);

  return require (vhost, exchange, message->exchange, error);
}

static gboolean
check_same_exchange (const Exchange *exchange, const ExchangeDeclaration *declaration,
                     GError **error)
{
  const Declared what = { "exchange", exchange->name, exchange->vhost->name };

  return check_same_text (&what, "type", exchange->type->name, declaration->type, error)
         && check_same_boolean (&what, "durable", exchange->durable, declaration->durable, error)
         && check_same_boolean (&what, "auto_delete", exchange->auto_delete,
                                declaration->auto_delete, error)
         && check_same_boolean (&what, "internal", exchange->internal, declaration->internal, error)
         && check_same_arguments (&what, exchange->arguments, declaration->arguments, error);
}

Exchange *
vhost_declare_exchange (Vhost *vhost, const ExchangeDeclaration *declaration, GError **error)
{
  Exchange *exchange = vhost_lookup_exchange (vhost, declaration->name);
  const ExchangeType *type = exchange_type_lookup (declaration->type);

  if (declaration->name.length == 0)
    {
      refuse_default (error);
      return NULL;
    }
  if (type == NULL)
    {
      reply_error (error, REPLY_COMMAND_INVALID, "unknown exchange type '%.*s'",
                   (int) declaration->type.length, (const char *) declaration->type.bytes);
      return NULL;
    }
  if (exchange != NULL)
    return check_same_exchange (exchange, declaration, error) ? exchange : NULL;
  if (is_reserved (declaration->name))
    {
      refuse_reserved ("exchange", declaration->name, error);
      return NULL;
    }
  exchange = exchange_new (vhost, declaration, type);
  vhost_add_exchange (vhost, exchange);
  return exchange;
}

static void
delete_exchange (Exchange *exchange)
{
  Vhost *vhost = exchange->vhost;
  NameMapIter iter = name_map_iter (exchange->bindings);
  gpointer binding;

  while (name_map_next (&iter, NULL, &binding))
    binding_remove (binding);
  vhost->broker->digest -= exchange_digest (exchange);
  name_map_remove (vhost->exchanges, slice_of_text (exchange->name));
  exchange_free (exchange);
}

gboolean
vhost_delete_exchange (Vhost *vhost, Slice name, gboolean if_unused, GError **error)
{
  Exchange *exchange = vhost_lookup_exchange (vhost, name);

  if (exchange == NULL)
    return TRUE;
  if (exchange->name[0] == '\0')
    return refuse_default (error);
  if (exchange->predeclared)
    return reply_error (error, REPLY_ACCESS_REFUSED,
                        "deletion of system exchange '%s' in vhost '%s' not allowed",
                        exchange->name, vhost->name);
  if (if_unused && name_map_size (exchange->bindings) > 0)
    return reply_error (error, REPLY_PRECONDITION_FAILED, "exchange '%s' in vhost '%s' in use",
                        exchange->name, vhost->name);
  delete_exchange (exchange);
  return TRUE;
}

/* --- queues */

Queue *
vhost_lookup_queue (Vhost *vhost, Slice name)
{
  return name_map_lookup (vhost->queues, name);
}

Queue *
vhost_require_queue (Vhost *vhost, Slice name, ConnectionId connection, GError **error)
{
  Queue *queue = vhost_lookup_queue (vhost, name);

  if (queue == NULL)
    {
      reply_error (error, REPLY_NOT_FOUND, "no queue '%.*s' in vhost '%s'", (int) name.length,
                   (const char *) name.bytes, vhost->name);
      return NULL;
    }
  return queue_check_access (queue, connection, error) ? queue : NULL;
}

static GPtrArray *
queues_of_owner (const Queue *queue)
{
  return id_map_lookup (queue->vhost->broker->exclusive_queues,
                        id_key_of_connection (queue->owner));
}

void
vhost_add_queue (Vhost *vhost, Queue *take_queue)
{
  name_map_insert (vhost->queues, slice_of_text (take_queue->name), take_queue);
  vhost->broker->digest += queue_digest (take_queue);
  if (!take_queue->exclusive)
    return;
  if (queues_of_owner (take_queue) == NULL)
    id_map_insert (vhost->broker->exclusive_queues, id_key_of_connection (take_queue->owner),
                   g_ptr_array_new ());
  g_ptr_array_add (queues_of_owner (take_queue), take_queue);
}

static void
forget_owner (Queue *queue)
{
  GPtrArray *of_owner = queues_of_owner (queue);

  g_ptr_array_remove_fast (of_owner, queue);
  if (of_owner->len > 0)
    return;
  id_map_remove (queue->vhost->broker->exclusive_queues, id_key_of_connection (queue->owner));
  g_ptr_array_unref (of_owner);
}

static gboolean
check_same_queue (const Queue *queue, const QueueDeclaration *declaration, ConnectionId connection,
                  GError **error)
{
  const Declared what = { "queue", queue->name, queue->vhost->name };

  return queue_check_access (queue, connection, error)
         && (declaration->exclusive == queue->exclusive || queue_refuse_access (queue, error))
         && check_same_boolean (&what, "durable", queue->durable, declaration->durable, error)
         && check_same_boolean (&what, "auto_delete", queue->auto_delete, declaration->auto_delete,
                                error)
         && check_same_arguments (&what, queue->arguments, declaration->arguments, error);
}

Queue *
vhost_declare_queue (Vhost *vhost, const QueueDeclaration *declaration, ConnectionId connection,
                     GError **error)
{
  Queue *queue = vhost_lookup_queue (vhost, declaration->name);

  g_assert (declaration->name.length > 0);
  if (queue != NULL)
    return check_same_queue (queue, declaration, connection, error) ? queue : NULL;
  if (is_reserved (declaration->name) && !declaration->server_named)
    {
      refuse_reserved ("queue", declaration->name, error);
      return NULL;
    }
  queue = queue_new (vhost, declaration, connection);
  vhost_add_queue (vhost, queue);
  return queue;
}

static void
remove_binding (Binding *binding)
{
  Exchange *exchange = binding->exchange;

  binding_remove (binding);
  if (exchange->auto_delete && name_map_size (exchange->bindings) == 0)
    delete_exchange (exchange);
}

gboolean
vhost_delete_queue (Vhost *vhost, Queue *queue, gboolean if_unused, gboolean if_empty,
                    guint64 *ret_n_messages, GError **error)
{
  g_assert (queue->vhost == vhost);
  if (if_unused && queue->consumers->len > 0)
    return reply_error (error, REPLY_PRECONDITION_FAILED, "queue '%s' in vhost '%s' in use",
                        queue->name, vhost->name);
  if (if_empty && queue->n_ready > 0)
    return reply_error (error, REPLY_PRECONDITION_FAILED, "queue '%s' in vhost '%s' not empty",
                        queue->name, vhost->name);
  *ret_n_messages = queue->n_ready;
  while (queue->bindings->len > 0)
    remove_binding (queue->bindings->pdata[queue->bindings->len - 1]);
  if (queue->exclusive)
    forget_owner (queue);
  name_map_remove (vhost->queues, slice_of_text (queue->name));
  queue_delete (queue);
  queue_unref (queue);
  return TRUE;
}

/* --- bindings and publishing */

gboolean
vhost_bind_queue (Vhost *vhost, Queue *queue, Slice exchange, Slice routing_key, Slice arguments,
                  GError **error)
{
  Exchange *bound = vhost_require_exchange (vhost, exchange, error);

  g_assert (queue->vhost == vhost);
  if (bound == NULL)
    return FALSE;
  if (bound->name[0] == '\0')
    return refuse_default (error);
  binding_add (bound, queue, routing_key, arguments);
  return TRUE;
}

gboolean
vhost_unbind_queue (Vhost *vhost, Queue *queue, Slice exchange, Slice routing_key, Slice arguments,
                    GError **error)
{
  Exchange *bound = vhost_lookup_exchange (vhost, exchange);
  Binding *binding;

  g_assert (queue->vhost == vhost);
  if (bound == NULL)
    return TRUE;
  if (bound->name[0] == '\0')
    return refuse_default (error);
  binding = binding_lookup (bound, queue, routing_key, arguments);
  if (binding != NULL)
    remove_binding (binding);
  return TRUE;
}

gboolean
vhost_publish (Vhost *vhost, Exchange *exchange, Message *message)
{
  Broker *broker = vhost->broker;
  GPtrArray *found = broker->found;
  gboolean any;

  g_assert (exchange->vhost == vhost);
  broker->n_publishes++;
  exchange->type->route (exchange->index, message, found);
  any = found->len > 0;
  for (guint i = 0; i < found->len; i++)
    {
      Queue *queue = found->pdata[i];

      if (queue->found_by == broker->n_publishes)
        continue;
      queue->found_by = broker->n_publishes;
      queue_publish (queue, message);
    }
  found->len = 0;
  return any;
}
