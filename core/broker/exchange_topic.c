/* SPDX-License-Identifier: MIT */
/* Words and wildcards (0-9-1 section 3.1.3.3). */
#include "core/broker/broker_internal.h"
#include "core/broker/topic_trie.h"

static gpointer
topic_new (void)
{
  return topic_trie_new ();
}

static void
topic_free (gpointer index)
{
  topic_trie_free (index);
}

static void
topic_bind (gpointer index, Binding *binding)
{
  topic_trie_add (index, binding);
}

static void
topic_unbind (gpointer index, Binding *binding)
{
  topic_trie_remove (index, binding);
}

static void
topic_route (gpointer index, const Message *message, GPtrArray *queues)
{
  topic_trie_match (index, message->routing_key, queues);
}

const ExchangeType exchange_type_topic = {
  .name = "topic",
  .index_new = topic_new,
  .index_free = topic_free,
  .bind = topic_bind,
  .unbind = topic_unbind,
  .route = topic_route,
};
