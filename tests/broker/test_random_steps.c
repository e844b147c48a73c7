/* SPDX-License-Identifier: MIT */
#include "tests/broker/random_world.h"

#define N_STEPS     40000
#define CHECK_EVERY 4

static void
test_agrees_with_the_model (gconstpointer data)
{
  g_autoptr (RandomWorld) world = random_world_new (GPOINTER_TO_UINT (data));

  for (guint i = 0; i < N_STEPS; i++)
    {
      random_world_step (world);
      if (i % CHECK_EVERY == 0)
        random_world_check (world);
    }
  random_world_check (world);
}

/* The digest would be of no use if it did not tell one history from another. */
static void
test_other_steps_make_another_digest (void)
{
  g_autoptr (RandomWorld) world = random_world_new (1);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint64 *digests = g_new (guint64, N_STEPS);
  guint n_changes = 0;

  for (guint i = 0; i < N_STEPS; i++)
    {
      random_world_step (world);
      digests[i] = broker_digest (world->broker);
      n_changes += i > 0 && digests[i] != digests[i - 1] ? 1 : 0;
      g_hash_table_add (seen, &digests[i]);
    }
  /* A state may come again, but seldom: positions and turns only grow. */
  g_assert_cmpuint (g_hash_table_size (seen), >, n_changes * 9 / 10);
  g_assert_cmpuint (n_changes, >, N_STEPS / 3);
  g_clear_pointer (&seen, g_hash_table_unref);
  g_free (digests);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint seed = 1; seed <= 4; seed++)
    {
      g_autofree char *path
          = g_strdup_printf ("/broker/random-steps/agrees-with-the-model/seed-%u", seed);

      g_test_add_data_func (path, GUINT_TO_POINTER (seed), test_agrees_with_the_model);
    }
  g_test_add_func ("/broker/random-steps/other-steps-make-another-digest",
                   test_other_steps_make_another_digest);
  return g_test_run ();
}
