/* SPDX-License-Identifier: MIT */
/* Words and wildcards (0-9-1 section 3.1.3.3). What a key leads to is remembered: publishers use
 * few keys, and for most of them the words need not be looked at again before the bindings change.
 */
#include "core/base/limits.h"
#include "core/broker/broker_internal.h"
#include "core/broker/topic_trie.h"

typedef struct KnownKey
{
  Slice key;         /* held */
  GPtrArray *queues; /* borrowed; NULL: nothing is known */
} KnownKey;

typedef struct TopicIndex
{
  TopicTrie *trie;
  KnownKey *known; /* by hash; NULL: none yet */
} TopicIndex;

static gpointer
topic_new (void)
{
  TopicIndex *topic = g_new0 (TopicIndex, 1);

  topic->trie = topic_trie_new ();
  return topic;
}

static void
forget (TopicIndex *topic)
{
  for (guint i = 0; topic->known != NULL && i < LIMIT_TOPIC_KNOWN_KEYS; i++)
    {
      slice_release (&topic->known[i].key);
      g_clear_pointer (&topic->known[i].queues, g_ptr_array_unref);
    }
  g_clear_pointer (&topic->known, g_free);
}

static void
topic_free (gpointer index)
{
  TopicIndex *topic = index;

  forget (topic);
  topic_trie_free (topic->trie);
  g_free (topic);
}

static void
topic_bind (gpointer index, Binding *binding)
{
  TopicIndex *topic = index;

  forget (topic);
  topic_trie_add (topic->trie, binding);
}

static void
topic_unbind (gpointer index, Binding *binding)
{
  TopicIndex *topic = index;

  forget (topic);
  topic_trie_remove (topic->trie, binding);
}

static void
learn (TopicIndex *topic, KnownKey *known, Slice key)
{
  slice_release (&known->key);
  known->key = slice_hold (key);
  if (known->queues == NULL)
    known->queues = g_ptr_array_new ();
  g_ptr_array_set_size (known->queues, 0);
  topic_trie_match (topic->trie, key, known->queues);
}

static void
topic_route (gpointer index, const Message *message, GPtrArray *queues)
{
  TopicIndex *topic = index;
  KnownKey *known;

  if (topic->known == NULL)
    topic->known = g_new0 (KnownKey, LIMIT_TOPIC_KNOWN_KEYS);
  known = &topic->known[message->routing_key_hash % LIMIT_TOPIC_KNOWN_KEYS];
  if (known->queues == NULL || !slice_equal (known->key, message->routing_key))
    learn (topic, known, message->routing_key);
  for (guint i = 0; i < known->queues->len; i++)
    g_ptr_array_add (queues, known->queues->pdata[i]);
}

const ExchangeType exchange_type_topic = {
  .name = "topic",
  .index_new = topic_new,
  .index_free = topic_free,
  .bind = topic_bind,
  .unbind = topic_unbind,
  .route = topic_route,
};
