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
  GPtrArray *present; /* the set of nodes that the words so far lead to */
  GPtrArray *next;
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

TopicTrie *
topic_trie_new (void)
{
  TopicTrie *trie = g_new0 (TopicTrie, 1);

  trie->root = node_new (NULL, (Slice){ 0 });
  trie->present = g_ptr_array_new ();
  trie->next = g_ptr_array_new ();
  return trie;
}

void
topic_trie_free (TopicTrie *trie)
{
  node_free (trie->root);
  g_ptr_array_unref (trie->present);
  g_ptr_array_unref (trie->next);
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
put_into_set (TopicTrie *trie, GPtrArray *set, Node *node)
{
  for (; node != NULL && node->seen_in != trie->n_sets; node = node->hash)
    {
      node->seen_in = trie->n_sets;
      g_ptr_array_add (set, node);
    }
}

static void
step (TopicTrie *trie, Slice word)
{
  GPtrArray *present = trie->present;

  trie->n_sets++;
  for (guint i = 0; i < present->len; i++)
    {
      Node *node = present->pdata[i];

      if (node->words != NULL)
        put_into_set (trie, trie->next, name_map_lookup (node->words, word));
      put_into_set (trie, trie->next, node->star);
      if (node->is_hash)
        put_into_set (trie, trie->next, node);
    }
  g_ptr_array_set_size (present, 0);
  trie->present = trie->next;
  trie->next = present;
}

void
topic_trie_match (TopicTrie *trie, Slice routing_key, GPtrArray *queues)
{
  Slice rest = words_of (routing_key), word;

  trie->n_sets++;
  put_into_set (trie, trie->present, trie->root);
  while (trie->present->len > 0 && next_word (&rest, &word))
    step (trie, word);
  for (guint i = 0; i < trie->present->len; i++)
    binding_array_route (((const Node *) trie->present->pdata[i])->bindings, queues);
  g_ptr_array_set_size (trie->present, 0);
}
