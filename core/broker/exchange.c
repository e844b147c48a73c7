/* SPDX-License-Identifier: MIT */
#include "core/broker/broker_internal.h"

static const ExchangeType *const types[]
    = { &exchange_type_direct, &exchange_type_fanout, &exchange_type_topic };

const ExchangeType *
exchange_type_lookup (Slice name)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (slice_equal_text (name, types[i]->name))
      return types[i];
  return NULL;
}

Exchange *
exchange_new (Vhost *vhost, const ExchangeDeclaration *declaration, const ExchangeType *type)
{
  Exchange *exchange = g_new0 (Exchange, 1);

  exchange->type = type;
  exchange->vhost = vhost;
  exchange->name = slice_to_text (declaration->name);
  exchange->durable = declaration->durable;
  exchange->auto_delete = declaration->auto_delete;
  exchange->internal = declaration->internal;
  exchange->arguments = slice_hold (declaration->arguments);
  exchange->bindings = name_map_new ();
  if (type->index_new != NULL)
    exchange->index = type->index_new ();
  return exchange;
}

void
exchange_free (Exchange *exchange)
{
  NameMapIter iter = name_map_iter (exchange->bindings);
  gpointer binding;

  if (exchange->type->index_free != NULL)
    exchange->type->index_free (exchange->index);
  while (name_map_next (&iter, NULL, &binding))
    binding_free (binding);
  name_map_free (exchange->bindings);
  slice_release (&exchange->arguments);
  g_free (exchange->name);
  g_free (exchange);
}

/* Every queue is bound to the default exchange by its name (0-9-1, rule "default-exchange"): so it
 * looks among the queues, and has no bindings to keep. */
static void
default_route (gpointer index, const Message *message, GPtrArray *queues)
{
  Queue *queue = name_map_lookup_hashed (index, message->routing_key, message->routing_key_hash);

  if (queue != NULL)
    g_ptr_array_add (queues, queue);
}

Exchange *
exchange_new_default (Vhost *vhost)
{
  static const ExchangeType type = { .name = "direct", .route = default_route };
  static const ExchangeDeclaration declaration = { .durable = TRUE };
  Exchange *exchange = exchange_new (vhost, &declaration, &type);

  exchange->predeclared = TRUE;
  exchange->index = vhost->queues;
  return exchange;
}
