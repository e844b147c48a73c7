/* SPDX-License-Identifier: MIT */
#include "core/base/limits.h"
#include "core/broker/topic_trie.h"
#include "tests/broker/fixture.h"

typedef struct Fixture
{
  Broker *broker;
  Vhost *vhost;
} Fixture;

static void
set_up (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  f->broker = broker_new ();
  f->vhost = root_vhost (f->broker);
  declare (f->vhost, "q1");
  declare (f->vhost, "q2");
  declare (f->vhost, "q3");
}

static void
tear_down (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_assert_cmpuint (broker_digest (f->broker), ==, broker_digest_in_full (f->broker));
  broker_free (f->broker);
}

static void
bind (Fixture *f, const char *queue, const char *exchange, const char *key)
{
  g_assert_true (vhost_bind_queue (f->vhost, vhost_lookup_queue (f->vhost, slice_of_text (queue)),
                                   slice_of_text (exchange), slice_of_text (key), (Slice){ 0 },
                                   NULL));
}

static void
unbind (Fixture *f, const char *queue, const char *exchange, const char *key)
{
  g_assert_true (vhost_unbind_queue (f->vhost, vhost_lookup_queue (f->vhost, slice_of_text (queue)),
                                     slice_of_text (exchange), slice_of_text (key), (Slice){ 0 },
                                     NULL));
}

/* The queues that a message reaches, each as often as it gets it: "q1 q3" */
static void
expect_reached (Fixture *f, const char *exchange, const char *key, const char *reached)
{
  g_autoptr (Message) message = message_of_text (slice_of_text (exchange), key, "x");
  g_autoptr (GString) text = g_string_new (NULL);
  NameMapIter iter = name_map_iter (f->vhost->queues);
  gpointer value;
  gboolean any = vhost_publish (
      f->vhost, vhost_lookup_exchange (f->vhost, slice_of_text (exchange)), message);

  while (name_map_next (&iter, NULL, &value))
    for (guint64 n = queue_purge (value); n > 0; n--)
      g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", ((Queue *) value)->name);
  g_assert_cmpstr (text->str, ==, reached);
  g_assert_cmpint (any, ==, reached[0] != '\0');
}

static void
test_default_routes_by_queue_name (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  expect_reached (f, "", "q2", "q2");
  expect_reached (f, "", "q", "");
  expect_reached (f, "", "", "");
}

static void
test_direct_routes_by_key (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  bind (f, "q1", "amq.direct", "a");
  bind (f, "q1", "amq.direct", "b");
  bind (f, "q2", "amq.direct", "a");
  bind (f, "q2", "amq.direct", "a");
  expect_reached (f, "amq.direct", "a", "q1 q2");
  expect_reached (f, "amq.direct", "b", "q1");
  expect_reached (f, "amq.direct", "q1", "");
  unbind (f, "q2", "amq.direct", "a");
  unbind (f, "q2", "amq.direct", "a");
  unbind (f, "q2", "amq.direct", "never");
  unbind (f, "q2", "nowhere", "a");
  expect_reached (f, "amq.direct", "a", "q1");
}

static void
test_fanout_routes_to_all_once (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  bind (f, "q3", "amq.fanout", "a");
  bind (f, "q1", "amq.fanout", "a");
  bind (f, "q1", "amq.fanout", "b");
  expect_reached (f, "amq.fanout", "z", "q1 q3");
  unbind (f, "q1", "amq.fanout", "a");
  expect_reached (f, "amq.fanout", "a", "q1 q3");
  unbind (f, "q1", "amq.fanout", "b");
  expect_reached (f, "amq.fanout", "a", "q3");
}

static void
test_bindings_go_with_their_queue (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  Exchange *exchange = vhost_lookup_exchange (f->vhost, slice_of_text ("amq.topic"));
  guint64 n_messages;

  bind (f, "q1", "amq.topic", "a.*");
  bind (f, "q1", "amq.topic", "#");
  bind (f, "q2", "amq.topic", "a.b.c");
  vhost_delete_queue (f->vhost, vhost_lookup_queue (f->vhost, slice_of_text ("q1")), FALSE, FALSE,
                      &n_messages, NULL);
  g_assert_cmpuint (name_map_size (exchange->bindings), ==, 1);
  expect_reached (f, "amq.topic", "a.b", "");
  expect_reached (f, "amq.topic", "a.b.c", "q2");
}

static void
test_auto_delete_goes_with_its_last_binding (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  ExchangeDeclaration declaration
      = { .name = slice_of_text ("x"), .type = slice_of_text ("topic"), .auto_delete = TRUE };
  Slice name = declaration.name;
  guint64 n_messages;

  vhost_declare_exchange (f->vhost, &declaration, NULL);
  g_assert_nonnull (vhost_lookup_exchange (f->vhost, name));
  bind (f, "q1", "x", "a");
  bind (f, "q2", "x", "a");
  unbind (f, "q1", "x", "a");
  g_assert_nonnull (vhost_lookup_exchange (f->vhost, name));
  unbind (f, "q2", "x", "a");
  g_assert_null (vhost_lookup_exchange (f->vhost, name));
  vhost_declare_exchange (f->vhost, &declaration, NULL);
  bind (f, "q1", "x", "a");
  bind (f, "q1", "x", "b");
  vhost_delete_queue (f->vhost, vhost_lookup_queue (f->vhost, slice_of_text ("q1")), FALSE, FALSE,
                      &n_messages, NULL);
  g_assert_null (vhost_lookup_exchange (f->vhost, name));
}

/* Names of the queues in the order in which the exchange finds them. */
static char *
found (Fixture *f, const char *exchange, const char *key)
{
  Exchange *x = vhost_lookup_exchange (f->vhost, slice_of_text (exchange));
  g_autoptr (Message) message = message_of_text (slice_of_text (exchange), key, "");
  g_autoptr (GPtrArray) queues = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);

  x->type->route (x->index, message, queues);
  for (guint i = 0; i < queues->len; i++)
    g_string_append_printf (text, " %s", ((const Queue *) queues->pdata[i])->name);
  return g_strdup (text->str);
}

static void
test_order_is_the_same_whatever_came_first (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  static const char *const exchanges[] = { "amq.direct", "amq.fanout", "amq.topic" };
  static const char *const wildcards[] = { "#", "a.#" };
  static const char *const queues[][3]
      = { { "q1", "q2", "q3" }, { "q3", "q1", "q2" }, { "q2", "q3", "q1" } };

  for (guint e = 0; e < 3; e++)
    {
      g_autofree char *first = NULL;

      for (guint round = 0; round < 3; round++)
        {
          g_autofree char *now = NULL;

          for (guint i = 0; i < 3; i++)
            {
              bind (f, queues[round][i], exchanges[e], "a.b");
              bind (f, queues[round][i], exchanges[e], wildcards[queues[round][i][1] % 2]);
            }
          bind (f, "q2", exchanges[e], "a.*");
          now = found (f, exchanges[e], "a.b");
          for (guint i = 0; i < 3; i++)
            {
              unbind (f, queues[round][i], exchanges[e], "a.b");
              unbind (f, queues[round][i], exchanges[e], wildcards[queues[round][i][1] % 2]);
            }
          unbind (f, "q2", exchanges[e], "a.*");
          if (first == NULL)
            first = g_steal_pointer (&now);
          else
            g_assert_cmpstr (now, ==, first);
        }
    }
}

/* --- topics */

static const struct
{
  const char *pattern;
  const char *key;
  gboolean matches;
} topic_rows[] = {
  { "a.b", "a.b", TRUE },
  { "a.b", "a.c", FALSE },
  { "a.b", "a.b.c", FALSE },
  { "*", "a", TRUE },
  { "*", "", FALSE },
  { "*", "a.b", FALSE },
  { "#", "", TRUE },
  { "#", "a.b.c", TRUE },
  { "a.#", "a", TRUE },
  { "a.#", "a.b.c", TRUE },
  { "a.#", "b", FALSE },
  { "#.c", "c", TRUE },
  { "#.c", "a.b.c", TRUE },
  { "#.c", "a.b", FALSE },
  { "a.#.c", "a.c", TRUE },
  { "a.#.c", "a.b.b.c", TRUE },
  { "a.*.c", "a.c", FALSE },
  { "a.*.c", "a.b.c", TRUE },
  { "#.#", "", TRUE },
  { "#.*", "", FALSE },
  { "#.*", "a", TRUE },
  { "*.#", "a.b", TRUE },
  { "", "", TRUE },
  { "", "a", FALSE },
  { "a.", "a.", TRUE },
  { "a.", "a", FALSE },
  { "a.*", "a.", TRUE },
  { "*.*", ".", TRUE },
  { "*stock", "*stock", TRUE },
  { "*stock", "livestock", FALSE },
};

static void
test_topic_row (Fixture *f, gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);

  bind (f, "q1", "amq.topic", topic_rows[row].pattern);
  expect_reached (f, "amq.topic", topic_rows[row].key, topic_rows[row].matches ? "q1" : "");
}

/* What a key led to is remembered, and forgotten with any change of bindings. */
static void
test_topic_sees_changes_of_bindings (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  guint64 n_messages;

  bind (f, "q1", "amq.topic", "a.*");
  for (guint i = 0; i < 2 * LIMIT_TOPIC_KNOWN_KEYS; i++)
    {
      g_autofree char *key = g_strdup_printf ("a.%u", i);

      expect_reached (f, "amq.topic", key, "q1");
      expect_reached (f, "amq.topic", key, "q1");
    }
  expect_reached (f, "amq.topic", "a.7", "q1");
  bind (f, "q2", "amq.topic", "#.7");
  expect_reached (f, "amq.topic", "a.7", "q1 q2");
  unbind (f, "q1", "amq.topic", "a.*");
  expect_reached (f, "amq.topic", "a.7", "q2");
  vhost_delete_queue (f->vhost, vhost_lookup_queue (f->vhost, slice_of_text ("q2")), FALSE, FALSE,
                      &n_messages, NULL);
  expect_reached (f, "amq.topic", "a.7", "");
}

static char *
random_words (Dice *dice, const char *const *words, guint n_words, guint max)
{
  g_autoptr (GString) text = g_string_new (NULL);
  guint count = dice_throw (dice, max + 1);

  for (guint i = 0; i < count; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "." : "", words[dice_throw (dice, n_words)]);
  return g_strdup (text->str);
}

typedef struct TopicCase
{
  Binding bindings[12];
  Queue queues[12]; /* no more than names */
  guint count;
} TopicCase;

static void
topic_case_fill (TopicCase *topics, Dice *dice, TopicTrie *trie)
{
  static const char *const words[] = { "a", "b", "*", "#", "", "a", "#" };

  topics->count = 1 + dice_throw (dice, G_N_ELEMENTS (topics->bindings));
  for (guint i = 0; i < topics->count; i++)
    {
      topics->queues[i].name = g_strdup_printf ("q%u", i);
      topics->bindings[i] = (Binding){
        .queue = &topics->queues[i],
        .routing_key = random_words (dice, words, G_N_ELEMENTS (words), 6),
      };
      topic_trie_add (trie, &topics->bindings[i]);
    }
}

static void
topic_case_check (const TopicCase *topics, TopicTrie *trie, const char *key)
{
  g_autoptr (GPtrArray) queues = g_ptr_array_new ();

  topic_trie_match (trie, slice_of_text (key), queues);
  for (guint i = 0; i < topics->count; i++)
    {
      gboolean matches = topic_matches (topics->bindings[i].routing_key, key);
      guint n_found = 0;

      for (guint j = 0; j < queues->len; j++)
        n_found += queues->pdata[j] == &topics->queues[i] ? 1 : 0;
      if (n_found != (matches ? 1 : 0))
        g_error ("pattern '%s', key '%s': found %u times", topics->bindings[i].routing_key, key,
                 n_found);
    }
}

static void
topic_case_empty (TopicCase *topics, Dice *dice, TopicTrie *trie)
{
  while (topics->count > 0)
    {
      guint i = dice_throw (dice, topics->count);

      topic_trie_remove (trie, &topics->bindings[i]);
      g_free (topics->bindings[i].routing_key);
      g_free (topics->queues[i].name);
      /* The last one comes to its place: as another object, so it goes and comes again. */
      topics->count--;
      if (i == topics->count)
        continue;
      topic_trie_remove (trie, &topics->bindings[topics->count]);
      topics->bindings[i] = topics->bindings[topics->count];
      topics->queues[i] = topics->queues[topics->count];
      topics->bindings[i].queue = &topics->queues[i];
      topic_trie_add (trie, &topics->bindings[i]);
    }
}

static void
test_topic_agrees_with_the_rule (void)
{
  static const char *const words[] = { "a", "b", "" };

  for (guint64 seed = 1; seed <= 3000; seed++)
    {
      g_autoptr (TopicTrie) trie = topic_trie_new ();
      Dice dice = { .seed = seed };
      TopicCase topics;

      memset (&topics, 0, sizeof topics);
      topic_case_fill (&topics, &dice, trie);
      for (guint i = 0; i < 12; i++)
        {
          g_autofree char *key = random_words (&dice, words, G_N_ELEMENTS (words), 7);

          topic_case_check (&topics, trie, key);
        }
      topic_case_empty (&topics, &dice, trie);
      g_assert_cmpuint (topic_trie_n_nodes (trie), ==, 0);
    }
}

/* Tried word by word with a way back, this takes longer than anybody waits. */
static void
test_many_wildcards_cost_little (Fixture *f, gconstpointer data G_GNUC_UNUSED)
{
  g_autoptr (GString) pattern = g_string_new ("#");
  g_autoptr (GString) key = g_string_new ("a");

  for (guint i = 0; i < 60; i++)
    g_string_append (pattern, ".a.#");
  for (guint i = 0; i < 120; i++)
    g_string_append (key, ".a");
  g_string_append (pattern, ".b");
  bind (f, "q1", "amq.topic", pattern->str);
  bind (f, "q2", "amq.topic", "#.b");
  expect_reached (f, "amq.topic", key->str, "");
  g_string_append (key, ".b");
  expect_reached (f, "amq.topic", key->str, "q1 q2");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(claim, test)                                                                           \
  g_test_add ("/broker/exchanges/" claim, Fixture, NULL, set_up, test, tear_down)
  ADD ("default-routes-by-queue-name", test_default_routes_by_queue_name);
  ADD ("direct-routes-by-key", test_direct_routes_by_key);
  ADD ("fanout-routes-to-all-once", test_fanout_routes_to_all_once);
  ADD ("bindings-go-with-their-queue", test_bindings_go_with_their_queue);
  ADD ("auto-delete-goes-with-its-last-binding", test_auto_delete_goes_with_its_last_binding);
  ADD ("order-is-the-same-whatever-came-first", test_order_is_the_same_whatever_came_first);
  ADD ("topic-sees-changes-of-bindings", test_topic_sees_changes_of_bindings);
  ADD ("many-wildcards-cost-little", test_many_wildcards_cost_little);
#undef ADD
  for (guint i = 0; i < G_N_ELEMENTS (topic_rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/broker/exchanges/topic-row/'%s'-and-'%s'",
                                               topic_rows[i].pattern, topic_rows[i].key);

      g_test_add (path, Fixture, GUINT_TO_POINTER (i), set_up, test_topic_row, tear_down);
    }
  g_test_add_func ("/broker/exchanges/topic-agrees-with-the-rule", test_topic_agrees_with_the_rule);
  return g_test_run ();
}
