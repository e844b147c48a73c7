/* SPDX-License-Identifier: MIT */
/* The model as bytes and back. In this order: virtual hosts; in each the exchanges that were
 * declared, the queues, and the bindings, which name both. Then what the queues hold
 * (broker_messages.c).
 *
 * A reader checks what a peer may have got wrong, so that any bytes lead to a model that holds
 * together, or to a failure. */
#include "core/amqp/field_table.h"
#include "core/base/limits.h"
#include "core/broker/broker.h"
#include "core/broker/broker_internal.h"

#define MARK_BROKER 0x42524f4b /* "BROK" */

/* Always good for a writer. */
static gboolean
check (StateCodec *codec, gboolean is_possible)
{
  if (!is_possible)
    state_fail (codec);
  return state_is_good (codec);
}

static gboolean
name_state (StateCodec *codec, char **name)
{
  state_text (codec, name);
  return check (codec, *name != NULL && strlen (*name) <= LIMIT_NAME);
}

static gboolean
arguments_state (StateCodec *codec, Slice *arguments)
{
  state_slice (codec, arguments);
  return check (codec, !state_is_reading (codec) || field_table_check (*arguments, NULL));
}

/* --- exchanges */

static gboolean
exchange_state (StateCodec *codec, Vhost *vhost, Exchange *exchange)
{
  g_autofree char *name = NULL, *type_name = NULL;
  ExchangeDeclaration declaration = { 0 };
  const ExchangeType *type;

  if (exchange != NULL)
    {
      name = g_strdup (exchange->name);
      type_name = g_strdup (exchange->type->name);
      declaration.durable = exchange->durable;
      declaration.auto_delete = exchange->auto_delete;
      declaration.internal = exchange->internal;
      declaration.arguments = exchange->arguments;
    }
  name_state (codec, &name);
  name_state (codec, &type_name);
  state_boolean (codec, &declaration.durable);
  state_boolean (codec, &declaration.auto_delete);
  state_boolean (codec, &declaration.internal);
  arguments_state (codec, &declaration.arguments);
  if (!state_is_reading (codec))
    return TRUE;
  if (state_is_good (codec))
    {
      declaration.name = slice_of_text (name);
      type = exchange_type_lookup (slice_of_text (type_name));
      if (check (codec, type != NULL && vhost_lookup_exchange (vhost, declaration.name) == NULL))
        vhost_add_exchange (vhost, exchange_new (vhost, &declaration, type));
    }
  slice_release (&declaration.arguments);
  return state_is_good (codec);
}

static guint
count_declared (Vhost *vhost)
{
  NameMapIter iter = name_map_iter (vhost->exchanges);
  gpointer exchange;
  guint count = 0;

  while (name_map_next (&iter, NULL, &exchange))
    count += ((const Exchange *) exchange)->predeclared ? 0 : 1;
  return count;
}

static gboolean
exchanges_state (StateCodec *codec, Vhost *vhost)
{
  NameMapIter iter = name_map_iter (vhost->exchanges);
  guint count = state_count (codec, count_declared (vhost));
  gpointer exchange;

  if (state_is_reading (codec))
    while (count-- > 0 && exchange_state (codec, vhost, NULL))
      ;
  else
    while (name_map_next (&iter, NULL, &exchange))
      if (!((const Exchange *) exchange)->predeclared)
        exchange_state (codec, vhost, exchange);
  return state_is_good (codec);
}

/* --- queues */

/* A reader's: the queue is in the virtual host from here on, however its messages read. */
static Queue *
add_queue (StateCodec *codec, Vhost *vhost, const QueueDeclaration *declaration, ConnectionId owner)
{
  Queue *queue;

  if (!check (codec, declaration->name.length > 0
                         && vhost_lookup_queue (vhost, declaration->name) == NULL
                         && declaration->exclusive == !connection_id_is_none (owner)))
    return NULL;
  queue = queue_new (vhost, declaration, owner);
  vhost_add_queue (vhost, queue);
  return queue;
}

/* Without its messages. */
static gboolean
queue_counters_state (StateCodec *codec, Queue *queue)
{
  if (state_is_reading (codec))
    queue_add_to_digest (queue, -queue_digest (queue));
  state_boolean (codec, &queue->had_consumer);
  state_u64 (codec, &queue->next_turn);
  state_u64 (codec, &queue->n_taken);
  state_u64 (codec, &queue->n_dropped);
  state_u64 (codec, &queue->n_purged);
  queue_segments_position_state (codec, queue->segments);
  if (state_is_reading (codec))
    queue_add_to_digest (queue, queue_digest (queue));
  return state_is_good (codec);
}

static gboolean
queue_state (StateCodec *codec, Vhost *vhost, Queue *queue)
{
  g_autofree char *name = NULL;
  QueueDeclaration declaration = { 0 };
  ConnectionId owner = { 0 };

  if (queue != NULL)
    {
      name = g_strdup (queue->name);
      declaration.durable = queue->durable;
      declaration.auto_delete = queue->auto_delete;
      declaration.exclusive = queue->exclusive;
      declaration.arguments = queue->arguments;
      owner = queue->owner;
    }
  name_state (codec, &name);
  state_boolean (codec, &declaration.durable);
  state_boolean (codec, &declaration.auto_delete);
  state_boolean (codec, &declaration.exclusive);
  state_connection_id (codec, &owner);
  arguments_state (codec, &declaration.arguments);
  if (state_is_reading (codec))
    {
      if (state_is_good (codec))
        {
          declaration.name = slice_of_text (name);
          queue = add_queue (codec, vhost, &declaration, owner);
        }
      slice_release (&declaration.arguments);
    }
  return queue != NULL && queue_counters_state (codec, queue);
}

static gboolean
queues_state (StateCodec *codec, Vhost *vhost)
{
  NameMapIter iter = name_map_iter (vhost->queues);
  guint count = state_count (codec, name_map_size (vhost->queues));
  gpointer queue;

  if (state_is_reading (codec))
    while (count-- > 0 && queue_state (codec, vhost, NULL))
      ;
  else
    while (name_map_next (&iter, NULL, &queue))
      queue_state (codec, vhost, queue);
  return state_is_good (codec);
}

/* --- bindings */

static gboolean
binding_state (StateCodec *codec, Exchange *exchange, const Binding *binding)
{
  g_autofree char *queue_name = NULL, *routing_key = NULL;
  Slice arguments = { 0 };
  Queue *queue;

  if (binding != NULL)
    {
      queue_name = g_strdup (binding->queue->name);
      routing_key = g_strdup (binding->routing_key);
      arguments = binding->arguments;
    }
  name_state (codec, &queue_name);
  name_state (codec, &routing_key);
  arguments_state (codec, &arguments);
  if (!state_is_reading (codec))
    return TRUE;
  if (state_is_good (codec))
    {
      queue = vhost_lookup_queue (exchange->vhost, slice_of_text (queue_name));
      check (codec,
             queue != NULL
                 && binding_add (exchange, queue, slice_of_text (routing_key), arguments) != NULL);
    }
  slice_release (&arguments);
  return state_is_good (codec);
}

static gboolean
bindings_of_exchange_state (StateCodec *codec, Exchange *exchange)
{
  NameMapIter iter = name_map_iter (exchange->bindings);
  guint count = state_count (codec, name_map_size (exchange->bindings));
  gpointer binding;

  if (state_is_reading (codec))
    {
      if (!check (codec, count == 0 || exchange->name[0] != '\0'))
        return FALSE;
      while (count-- > 0 && binding_state (codec, exchange, NULL))
        ;
    }
  else
    while (name_map_next (&iter, NULL, &binding))
      binding_state (codec, exchange, binding);
  return state_is_good (codec);
}

/* The exchanges are known by now, on both sides. */
static gboolean
bindings_state (StateCodec *codec, Vhost *vhost)
{
  NameMapIter iter = name_map_iter (vhost->exchanges);
  gpointer exchange;

  while (name_map_next (&iter, NULL, &exchange))
    if (!bindings_of_exchange_state (codec, exchange))
      return FALSE;
  return TRUE;
}

/* --- virtual hosts */

static gboolean
vhost_state (StateCodec *codec, Broker *broker, Vhost *vhost)
{
  g_autofree char *name = vhost == NULL ? NULL : g_strdup (vhost->name);

  if (!name_state (codec, &name))
    return FALSE;
  if (vhost == NULL)
    vhost = broker_lookup_vhost (broker, slice_of_text (name));
  if (vhost == NULL)
    vhost = broker_add_vhost (broker, slice_of_text (name));
  return exchanges_state (codec, vhost) && queues_state (codec, vhost)
         && bindings_state (codec, vhost);
}

gboolean
broker_structure_state (StateCodec *codec, Broker *broker)
{
  NameMapIter iter = name_map_iter (broker->vhosts);
  guint count;
  gpointer vhost;

  state_mark (codec, MARK_BROKER);
  count = state_count (codec, name_map_size (broker->vhosts));
  if (state_is_reading (codec))
    while (count-- > 0 && vhost_state (codec, broker, NULL))
      ;
  else
    while (name_map_next (&iter, NULL, &vhost))
      vhost_state (codec, broker, vhost);
  return state_is_good (codec);
}

gboolean
broker_state (StateCodec *codec, Broker *broker)
{
  BrokerMessages *messages;

  if (!broker_structure_state (codec, broker))
    return FALSE;
  messages = broker_messages_new (broker);
  if (!broker_messages_state (codec, messages, G_MAXSIZE) && state_is_good (codec))
    state_fail (codec);
  broker_messages_free (messages);
  return state_is_good (codec);
}
