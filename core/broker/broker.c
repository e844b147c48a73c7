/* SPDX-License-Identifier: MIT */
#include "core/broker/broker.h"
#include "core/base/limits.h"
#include "core/broker/broker_internal.h"

Broker *
broker_new (void)
{
  Broker *broker = g_new0 (Broker, 1);

  broker->vhosts = name_map_new ();
  broker->exclusive_queues = id_map_new ();
  broker->garbage = g_ptr_array_new ();
  broker->found = g_ptr_array_new ();
  broker_add_vhost (broker, slice_of_text ("/"));
  return broker;
}

void
broker_free (Broker *broker)
{
  NameMapIter vhosts = name_map_iter (broker->vhosts);
  IdMapIter owners = id_map_iter (broker->exclusive_queues);
  gpointer value;

  while (name_map_next (&vhosts, NULL, &value))
    vhost_free (value);
  name_map_free (broker->vhosts);
  while (id_map_next (&owners, NULL, &value))
    g_ptr_array_unref (value);
  id_map_free (broker->exclusive_queues);
  for (guint i = 0; i < broker->garbage->len; i++)
    queue_segments_free (broker->garbage->pdata[i]);
  g_ptr_array_unref (broker->garbage);
  g_ptr_array_unref (broker->found);
  g_free (broker);
}

Vhost *
broker_lookup_vhost (Broker *broker, Slice name)
{
  return name_map_lookup (broker->vhosts, name);
}

NameMap *
broker_vhosts (Broker *broker)
{
  return broker->vhosts;
}

Vhost *
broker_add_vhost (Broker *broker, Slice name)
{
  Vhost *vhost = vhost_new (broker, name);

  name_map_insert (broker->vhosts, name, vhost);
  broker->digest += vhost_digest (vhost);
  return vhost;
}

static int
compare_queues (gconstpointer a, gconstpointer b)
{
  const Queue *first = *(const Queue *const *) a, *second = *(const Queue *const *) b;
  int order = strcmp (first->vhost->name, second->vhost->name);

  return order != 0 ? order : strcmp (first->name, second->name);
}

/* By name: a member that was given the state does not know in which order they came. */
void
broker_connection_gone (Broker *broker, ConnectionId connection)
{
  GPtrArray *of_owner = id_map_lookup (broker->exclusive_queues, id_key_of_connection (connection));
  g_autoptr (GPtrArray) queues = NULL;

  if (of_owner == NULL)
    return;
  queues = g_ptr_array_copy (of_owner, NULL, NULL);
  g_ptr_array_sort (queues, compare_queues);
  for (guint i = 0; i < queues->len; i++)
    {
      Queue *queue = queues->pdata[i];
      guint64 n_messages;

      if (!vhost_delete_queue (queue->vhost, queue, FALSE, FALSE, &n_messages, NULL))
        g_assert_not_reached ();
    }
}

void
broker_free_later (Broker *broker, QueueSegments *take_segments)
{
  if (queue_segments_count (take_segments) == 0)
    queue_segments_free (take_segments);
  else
    g_ptr_array_add (broker->garbage, take_segments);
}

gboolean
broker_reap (Broker *broker)
{
  guint left = LIMIT_FREE_PER_EVENT;

  G_STATIC_ASSERT (LIMIT_FREE_PER_EVENT >= LIMIT_SEGMENT_MESSAGES);
  while (broker->garbage->len > 0 && left >= LIMIT_SEGMENT_MESSAGES)
    {
      guint last = broker->garbage->len - 1;
      QueueSegments *segments = broker->garbage->pdata[last];

      left -= queue_segments_free_some (segments, left);
      if (queue_segments_count (segments) > 0)
        continue;
      g_ptr_array_remove_index (broker->garbage, last);
      queue_segments_free (segments);
    }
  return broker->garbage->len > 0;
}
