/* SPDX-License-Identifier: MIT */
#include "core/session/unacked.h"
#include "core/session/session.h"

typedef struct Fixture
{
  Unacked unacked;
  Queue *queue;
  Subscription subscription; /* only its address matters */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  (void) data;
  fixture->queue = queue_new_deleted (1);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  (void) data;
  unacked_clear (&fixture->unacked);
  g_assert_cmpuint (fixture->queue->ref_count, ==, 1);
  queue_unref (fixture->queue);
}

static void
add (Fixture *fixture, guint64 tag)
{
  unacked_add (&fixture->unacked, tag, fixture->queue, tag + 100, &fixture->subscription);
}

static void
settle (Fixture *fixture, guint64 tag)
{
  UnackedEntry *entry = unacked_find (&fixture->unacked, tag);

  g_assert_nonnull (entry);
  g_assert_cmpuint (entry->delivery_tag, ==, tag);
  g_assert_cmpuint (entry->position, ==, tag + 100);
  unacked_remove (&fixture->unacked, entry);
}

static void
test_finds_by_tag (Fixture *fixture, gconstpointer data)
{
  (void) data;
  g_assert_null (unacked_find (&fixture->unacked, 1));
  for (guint64 tag = 2; tag <= 100; tag += 2)
    add (fixture, tag);
  for (guint64 tag = 0; tag <= 101; tag++)
    g_assert_true ((unacked_find (&fixture->unacked, tag) != NULL)
                   == (tag > 0 && tag % 2 == 0 && tag <= 100));
  settle (fixture, 50);
  g_assert_null (unacked_find (&fixture->unacked, 50));
}

/* "Up to and including" (0-9-1 section 1.8.3.13): whether the tag itself is there or not. */
static void
test_first_is_bounded (Fixture *fixture, gconstpointer data)
{
  (void) data;
  add (fixture, 3);
  add (fixture, 5);
  g_assert_null (unacked_first (&fixture->unacked, 2));
  g_assert_cmpuint (unacked_first (&fixture->unacked, 3)->delivery_tag, ==, 3);
  g_assert_cmpuint (unacked_first (&fixture->unacked, 4)->delivery_tag, ==, 3);
  settle (fixture, 3);
  g_assert_null (unacked_first (&fixture->unacked, 4));
  g_assert_cmpuint (unacked_first (&fixture->unacked, G_MAXUINT64)->delivery_tag, ==, 5);
}

static void
test_walks_over_holes (Fixture *fixture, gconstpointer data)
{
  UnackedEntry *entry;

  (void) data;
  for (guint64 tag = 1; tag <= 5; tag++)
    add (fixture, tag);
  settle (fixture, 1);
  settle (fixture, 3);
  entry = unacked_first (&fixture->unacked, G_MAXUINT64);
  g_assert_cmpuint (entry->delivery_tag, ==, 2);
  entry = unacked_next (&fixture->unacked, entry);
  g_assert_cmpuint (entry->delivery_tag, ==, 4);
  entry = unacked_next (&fixture->unacked, entry);
  g_assert_cmpuint (entry->delivery_tag, ==, 5);
  g_assert_null (unacked_next (&fixture->unacked, entry));
}

/* One that is never settled does not make the record grow with all that are. */
static void
test_holes_take_no_room (Fixture *fixture, gconstpointer data)
{
  (void) data;
  add (fixture, 1);
  for (guint64 tag = 2; tag <= 100000; tag++)
    {
      add (fixture, tag);
      if (tag > 10)
        settle (fixture, tag - 8);
    }
  g_assert_cmpuint (fixture->unacked.room, <=, 64);
  settle (fixture, 1);
}

/* What was given to a consumer stays so when the consumer is gone; basic.get is another matter. */
static void
test_remembers_who_was_given (Fixture *fixture, gconstpointer data)
{
  guint64 digest;

  (void) data;
  add (fixture, 1);
  unacked_add (&fixture->unacked, 2, fixture->queue, 2, NULL);
  unacked_add_of_cancelled (&fixture->unacked, 3, fixture->queue, 3);
  g_assert_cmpuint (fixture->unacked.n_of_consumers, ==, 2);
  digest = fixture->unacked.digest;
  unacked_forget_subscription (&fixture->unacked, &fixture->subscription);
  g_assert_null (unacked_find (&fixture->unacked, 1)->subscription);
  g_assert_cmphex (fixture->unacked.digest, !=, digest);
  g_assert_cmphex (fixture->unacked.digest, ==, unacked_digest_in_full (&fixture->unacked));
  g_assert_cmpuint (fixture->unacked.n_of_consumers, ==, 2);
  settle (fixture, 1);
  g_assert_cmpuint (fixture->unacked.n_of_consumers, ==, 1);
}

static void
test_digest_is_kept (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint64 next = 1;

  (void) data;
  for (guint i = 0; i < 5000; i++)
    {
      guint64 tag = (guint64) g_rand_int_range (random, 1, (gint32) next + 1);

      if (g_rand_int_range (random, 0, 5) < 3)
        add (fixture, next++);
      else if (unacked_find (&fixture->unacked, tag) != NULL)
        settle (fixture, tag);
      g_assert_cmphex (fixture->unacked.digest, ==, unacked_digest_in_full (&fixture->unacked));
    }
  g_assert_cmpuint (fixture->queue->ref_count, ==, fixture->unacked.count + 1);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/session/unacked/finds-by-tag", test_finds_by_tag },
    { "/session/unacked/first-is-bounded", test_first_is_bounded },
    { "/session/unacked/walks-over-holes", test_walks_over_holes },
    { "/session/unacked/holes-take-no-room", test_holes_take_no_room },
    { "/session/unacked/remembers-who-was-given", test_remembers_who_was_given },
    { "/session/unacked/digest-is-kept", test_digest_is_kept },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
