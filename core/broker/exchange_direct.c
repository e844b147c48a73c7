/* SPDX-License-Identifier: MIT */
/* The routing key is the binding's (0-9-1 section 3.1.3.1). The index: from each key to the array
 * of its bindings. */
#include "core/broker/broker_internal.h"

static gpointer
direct_new (void)
{
  return name_map_new ();
}

static void
direct_free (gpointer index)
{
  NameMapIter iter = name_map_iter (index);
  gpointer array;

  while (name_map_next (&iter, NULL, &array))
    g_ptr_array_unref (array);
  name_map_free (index);
}

static void
direct_bind (gpointer index, Binding *binding)
{
  Slice key = slice_of_text (binding->routing_key);
  GPtrArray *array = name_map_lookup (index, key);

  if (array == NULL)
    {
      array = g_ptr_array_new ();
      name_map_insert (index, key, array);
    }
  binding_array_add (array, binding);
}

static void
direct_unbind (gpointer index, Binding *binding)
{
  Slice key = slice_of_text (binding->routing_key);
  GPtrArray *array = name_map_lookup (index, key);

  binding_array_remove (array, binding);
  if (array->len > 0)
    return;
  name_map_remove (index, key);
  g_ptr_array_unref (array);
}

static void
direct_route (gpointer index, const Message *message, GPtrArray *queues)
{
  const GPtrArray *array
      = name_map_lookup_hashed (index, message->routing_key, message->routing_key_hash);

  if (array != NULL)
    binding_array_route (array, queues);
}

const ExchangeType exchange_type_direct = {
  .name = "direct",
  .index_new = direct_new,
  .index_free = direct_free,
  .bind = direct_bind,
  .unbind = direct_unbind,
  .route = direct_route,
};
