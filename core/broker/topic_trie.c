/* SPDX-License-Identifier: MIT */
#include "core/broker/topic_trie.h"
#include "core/broker/broker_internal.h"

typedef struct Node Node;

/* Reached by the words of a pattern. `#` is kept as a node that every further word leads back
 * to. */
struct Node
{
  Node *parent;
  char *word;     /* that leads here from the parent; NULL at the root */
  NameMap *words; /* of Node, owned; NULL: none */
  Node *star;     /* owned */
  Node *hash;     /* owned */
  gboolean is_hash;
  GPtrArray *bindings; /* whose patterns end here */
  guint64 seen_in;     /* the last set that it was put into */
};

struct TopicTrie
{
  Node *root;
  guint n_nodes;
  guint64 n_sets;
  guint room;     /* in each set, for the root and all nodes */
  Node **present; /* the set of nodes that the words so far lead to */
  guint n_present;
  Node **next;
  guint n_next;
};

static Node *
node_new (Node *parent, Slice word)
{
  Node *node = g_new0 (Node, 1);

  node->parent = parent;
  node->word = slice_to_text (word);
  node->bindings = g_ptr_array_new ();
  return node;
}

static void
node_free (Node *node)
{
  if (node == NULL)
    return;
  if (node->words != NULL)
    {
      NameMapIter iter = name_map_iter (node->words);
      gpointer child;

      while (name_map_next (&iter, NULL, &child))
        node_free (child);
      name_map_free (node->words);
    }
  node_free (node->star);
  node_free (node->hash);
  g_ptr_array_unref (node->bindings);
  g_free (node->word);
  g_free (node);
}

static void
make_room (TopicTrie *trie)
{
  if (trie->n_nodes < trie->room)
    return;
  trie->room = MAX (2 * trie->room, 4);
  trie->present = g_renew (Node *, trie->present, trie->room);
  trie->next = g_renew (Node *, trie->next, trie->room);
}

TopicTrie *
topic_trie_new (void)
{
  TopicTrie *trie = g_new0 (TopicTrie, 1);

  trie->root = node_new (NULL, (Slice){ 0 });
  trie->n_sets = 1;
  make_room (trie);
  return trie;
}

void
topic_trie_free (TopicTrie *trie)
{
  node_free (trie->root);
  g_free (trie->present);
  g_free (trie->next);
  g_free (trie);
}

guint
topic_trie_n_nodes (const TopicTrie *trie)
{
  return trie->n_nodes;
}

/* Cuts the next word off. FALSE: there is none. `*rest` is {NULL} after the last word, and
 * empty, not NULL, where a last dot leaves an empty word. */
static gboolean
next_word (Slice *rest, Slice *ret_word)
{
  const guint8 *dot;

  if (rest->bytes == NULL)
    return FALSE;
  dot = memchr (rest->bytes, '.', rest->length);
  if (dot == NULL)
    {
      *ret_word = *rest;
      *rest = (Slice){ 0 };
      return TRUE;
    }
  *ret_word = slice_sub (*rest, 0, (gsize) (dot - rest->bytes));
  *rest = slice_sub (*rest, ret_word->length + 1, rest->length - ret_word->length - 1);
  return TRUE;
}

static Slice
words_of (Slice key)
{
  return key.length == 0 ? (Slice){ 0 } : key;
}

static Node *
find_child (const Node *node, Slice word)
{
  if (slice_equal_text (word, "*"))
    return node->star;
  if (slice_equal_text (word, "#"))
    return node->hash;
  return node->words == NULL ? NULL : name_map_lookup (node->words, word);
}

static Node *
add_child (TopicTrie *trie, Node *node, Slice word)
{
  Node *child = node_new (node, word);

  trie->n_nodes++;
  make_room (trie);
  if (slice_equal_text (word, "*"))
    node->star = child;
  else if (slice_equal_text (word, "#"))
    {
      node->hash = child;
      child->is_hash = TRUE;
    }
  else
    {
      if (node->words == NULL)
        node->words = name_map_new ();
      name_map_insert (node->words, slice_of_text (child->word), child);
    }
  return child;
}

static void
remove_child (TopicTrie *trie, Node *node, Node *child)
{
  trie->n_nodes--;
  if (node->star == child)
    node->star = NULL;
  else if (node->hash == child)
    node->hash = NULL;
  else
    {
      name_map_remove (node->words, slice_of_text (child->word));
      if (name_map_size (node->words) == 0)
        g_clear_pointer (&node->words, name_map_free);
    }
  node_free (child);
}

/* The node where a pattern ends; NULL: it is not there (only if `create` is FALSE). */
static Node *
find_end (TopicTrie *trie, Slice pattern, gboolean create)
{
  Slice rest = words_of (pattern), word;
  Node *node = trie->root;

  while (node != NULL && next_word (&rest, &word))
    {
      Node *child = find_child (node, word);

      node = child == NULL && create ? add_child (trie, node, word) : child;
    }
  return node;
}

void
topic_trie_add (TopicTrie *trie, Binding *binding)
{
  Node *node = find_end (trie, slice_of_text (binding->routing_key), TRUE);

  binding_array_add (node->bindings, binding);
}

static gboolean
is_bare (const Node *node)
{
  return node->bindings->len == 0 && node->words == NULL && node->star == NULL
         && node->hash == NULL;
}

void
topic_trie_remove (TopicTrie *trie, Binding *binding)
{
  Node *node = find_end (trie, slice_of_text (binding->routing_key), FALSE);

  g_assert (node != NULL);
  binding_array_remove (node->bindings, binding);
  while (node->parent != NULL && is_bare (node))
    {
      Node *parent = node->parent;

      remove_child (trie, parent, node);
      node = parent;
    }
}

/* With the `#` that follows it, which may stand for no word at all. */
static void
put_into_next (TopicTrie *trie, Node *node)
{
  for (; node != NULL && node->seen_in != trie->n_sets; node = node->hash)
    {
      node->seen_in = trie->n_sets;
      trie->next[trie->n_next++] = node;
    }
}

/* The next set is the present one, and there is room for another. */
static void
turn (TopicTrie *trie)
{
  Node **present = trie->present;

  trie->present = trie->next;
  trie->n_present = trie->n_next;
  trie->next = present;
  trie->n_next = 0;
  trie->n_sets++;
}

static void
step (TopicTrie *trie, Slice word)
{
  guint32 hash = name_hash (word);

  for (guint i = 0; i < trie->n_present; i++)
    {
      Node *node = trie->present[i];

      if (node->words != NULL)
        put_into_next (trie, name_map_lookup_hashed (node->words, word, hash));
      put_into_next (trie, node->star);
      if (node->is_hash)
        put_into_next (trie, node);
    }
  turn (trie);
}

void
topic_trie_match (TopicTrie *trie, Slice routing_key, GPtrArray *queues)
{
  Slice rest = words_of (routing_key), word;

  put_into_next (trie, trie->root);
  turn (trie);
  while (trie->n_present > 0 && next_word (&rest, &word))
    step (trie, word);
  for (guint i = 0; i < trie->n_present; i++)
    binding_array_route (trie->present[i]->bindings, queues);
}
