/* SPDX-License-Identifier: MIT */
/* To every queue that is bound, whatever the key (0-9-1 section 3.1.3.2). The index: the array of
 * all bindings. */
#include "core/broker/broker_internal.h"

static gpointer
fanout_new (void)
{
  return g_ptr_array_new ();
}

static void
fanout_free (gpointer index)
{
  g_ptr_array_unref (index);
}

static void
fanout_bind (gpointer index, Binding *binding)
{
  binding_array_add (index, binding);
}

static void
fanout_unbind (gpointer index, Binding *binding)
{
  binding_array_remove (index, binding);
}

static void
fanout_route (gpointer index, const Message *message G_GNUC_UNUSED, GPtrArray *queues)
{
  binding_array_route (index, queues);
}

const ExchangeType exchange_type_fanout = {
  .name = "fanout",
  .index_new = fanout_new,
  .index_free = fanout_free,
  .bind = fanout_bind,
  .unbind = fanout_unbind,
  .route = fanout_route,
};
