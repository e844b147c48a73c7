/* SPDX-License-Identifier: MIT */
#include "core/base/id_map.h"

static void
test_finds_what_was_inserted (void)
{
  g_autoptr (IdMap) map = id_map_new ();
  static int values[5000];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    id_map_insert (map, (IdKey){ i % 7, i }, &values[i]);
  g_assert_cmpuint (id_map_size (map), ==, G_N_ELEMENTS (values));
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_true (id_map_lookup (map, (IdKey){ i % 7, i }) == &values[i]);
  g_assert_null (id_map_lookup (map, (IdKey){ 8, 1 }));
}

static void
test_iterates_in_insertion_order (void)
{
  g_autoptr (IdMap) map = id_map_new ();
  static int values[1000];
  IdMapIter iter = id_map_iter (map);
  gpointer value;
  guint expected = 1;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    id_map_insert (map, id_key_of_number (i * 7919 % 1000), &values[i]);
  for (guint i = 0; i < G_N_ELEMENTS (values); i += 2)
    g_assert_true (id_map_remove (map, id_key_of_number (i * 7919 % 1000)) == &values[i]);
  for (; id_map_next (&iter, NULL, &value); expected += 2)
    g_assert_true (value == &values[expected]);
  g_assert_cmpuint (expected, ==, 1001);
}

/* Queues of ids come and go for years: removed keys must not fill the table. */
static void
test_stays_small_under_churn (void)
{
  g_autoptr (IdMap) map = id_map_new ();
  int value;

  for (guint i = 0; i < 1000000; i++)
    {
      id_map_insert (map, id_key_of_number (i), &value);
      if (i >= 10)
        g_assert_true (id_map_remove (map, id_key_of_number (i - 10)) == &value);
    }
  g_assert_cmpuint (id_map_size (map), ==, 10);
  g_assert_null (id_map_remove (map, id_key_of_number (5)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/id-map/finds-what-was-inserted", test_finds_what_was_inserted);
  g_test_add_func ("/base/id-map/iterates-in-insertion-order", test_iterates_in_insertion_order);
  g_test_add_func ("/base/id-map/stays-small-under-churn", test_stays_small_under_churn);
  return g_test_run ();
}
