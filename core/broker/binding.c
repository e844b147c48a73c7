/* SPDX-License-Identifier: MIT */
#include "core/base/byte_writer.h"
#include "core/broker/broker_internal.h"

/* What tells a binding from the others of its exchange, as a name. */
static Buffer *
make_key (const Queue *queue, Slice routing_key, Slice arguments)
{
  g_auto (ByteWriter) writer = byte_writer_init ();

  byte_writer_long_string (&writer, slice_of_text (queue->name));
  byte_writer_long_string (&writer, routing_key);
  byte_writer_slice (&writer, arguments);
  return byte_writer_finish (&writer);
}

Binding *
binding_lookup (Exchange *exchange, Queue *queue, Slice routing_key, Slice arguments)
{
  g_autoptr (Buffer) key = make_key (queue, routing_key, arguments);

  return name_map_lookup (exchange->bindings, slice_of_buffer (key));
}

Binding *
binding_add (Exchange *exchange, Queue *queue, Slice routing_key, Slice arguments)
{
  g_autoptr (Buffer) key = make_key (queue, routing_key, arguments);
  Binding *binding;

  if (name_map_lookup (exchange->bindings, slice_of_buffer (key)) != NULL)
    return NULL;
  binding = g_new0 (Binding, 1);
  binding->exchange = exchange;
  binding->queue = queue;
  binding->routing_key = slice_to_text (routing_key);
  binding->arguments = slice_hold (arguments);
  binding->digest = binding_digest (binding);
  name_map_insert (exchange->bindings, slice_of_buffer (key), binding);
  g_ptr_array_add (queue->bindings, binding);
  exchange->type->bind (exchange->index, binding);
  queue_add_to_digest (queue, binding->digest);
  return binding;
}

void
binding_remove (Binding *binding)
{
  Slice routing_key = slice_of_text (binding->routing_key);
  g_autoptr (Buffer) key = make_key (binding->queue, routing_key, binding->arguments);

  queue_add_to_digest (binding->queue, -binding->digest);
  binding->exchange->type->unbind (binding->exchange->index, binding);
  g_ptr_array_remove_fast (binding->queue->bindings, binding);
  name_map_remove (binding->exchange->bindings, slice_of_buffer (key));
  binding_free (binding);
}

void
binding_free (Binding *binding)
{
  slice_release (&binding->arguments);
  g_free (binding->routing_key);
  g_free (binding);
}

/* The first place in the array whose queue's name is not lower. */
static guint
find_queue_name (const GPtrArray *array, const char *name)
{
  guint low = 0, high = array->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const Binding *binding = array->pdata[middle];

      if (strcmp (binding->queue->name, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
binding_array_add (GPtrArray *array, Binding *binding)
{
  g_ptr_array_insert (array, (int) find_queue_name (array, binding->queue->name), binding);
}

void
binding_array_remove (GPtrArray *array, Binding *binding)
{
  guint at = find_queue_name (array, binding->queue->name);

  while (at < array->len && array->pdata[at] != binding)
    at++;
  g_assert (at < array->len);
  g_ptr_array_remove_index (array, at);
}

void
binding_array_route (const GPtrArray *array, GPtrArray *queues)
{
  for (guint i = 0; i < array->len; i++)
    g_ptr_array_add (queues, ((const Binding *) array->pdata[i])->queue);
}
