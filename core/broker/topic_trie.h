/* SPDX-License-Identifier: MIT */
/* Bindings of a topic exchange by the words of their patterns: `*` stands for one word, `#` for
 * any number of words, none included. An empty pattern or key has no words; "a." has two.
 *
 * All patterns are tried at once: a key's words lead from a set of nodes to the next set, and a
 * node is in a set once. So the cost is bounded by words x nodes, whatever the patterns. */
#pragma once

#include "core/broker/exchange.h"

typedef struct TopicTrie TopicTrie;

TopicTrie *topic_trie_new (void);
void topic_trie_free (TopicTrie *trie);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TopicTrie, topic_trie_free)

/* By binding->routing_key. Borrows the binding until topic_trie_remove. */
void topic_trie_add (TopicTrie *trie, Binding *binding);
void topic_trie_remove (TopicTrie *trie, Binding *binding);
/* Appends the queue of every binding that matches. */
void topic_trie_match (TopicTrie *trie, Slice routing_key, GPtrArray *queues);
/* Nodes besides the root, for tests: none without bindings. */
guint topic_trie_n_nodes (const TopicTrie *trie);
