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

/* --- the walk ---------------------------------------------------------------------------- */

/* The same steps, whatever happened to be where in memory, and a plain list beside them. */
typedef struct Twins
{
  IdMap *maps[2];
  guint8 *values[2]; /* some addresses for each */
  GArray *model;     /* of IdKey, in the order that is promised */
} Twins;

static IdKey
nth_key (guint n)
{
  return (IdKey){ n % 5, (guint64) n * G_GUINT64_CONSTANT (0x100000001) };
}

static void
toggle (Twins *twins, guint n)
{
  IdKey key = nth_key (n);
  guint i = 0;

  while (i < twins->model->len && g_array_index (twins->model, IdKey, i).low != key.low)
    i++;
  for (guint j = 0; j < 2; j++)
    if (i < twins->model->len)
      g_assert_true (id_map_remove (twins->maps[j], key) == twins->values[j] + n);
    else
      id_map_insert (twins->maps[j], key, twins->values[j] + n);
  if (i < twins->model->len)
    g_array_remove_index (twins->model, i);
  else
    g_array_append_val (twins->model, key);
}

static void
assert_walks_like (IdMap *map, const GArray *model)
{
  IdMapIter iter = id_map_iter (map);
  IdKey key;

  for (guint i = 0; i < model->len; i++)
    {
      g_assert_true (id_map_next (&iter, &key, NULL));
      g_assert_cmpuint (key.high, ==, g_array_index (model, IdKey, i).high);
      g_assert_cmpuint (key.low, ==, g_array_index (model, IdKey, i).low);
    }
  g_assert_false (id_map_next (&iter, &key, NULL));
}

/* A member that took the state from a snapshot walks as the donor does, now and later. */
static IdMap *
copy_by_walking (IdMap *map)
{
  IdMap *copy = id_map_new ();
  IdMapIter iter = id_map_iter (map);
  IdKey key;
  gpointer value;

  while (id_map_next (&iter, &key, &value))
    id_map_insert (copy, key, value);
  return copy;
}

static void
test_walk_depends_on_the_order_of_insertion_only (void)
{
  Twins twins = {
    .maps = { id_map_new (), id_map_new () },
    .values = { g_malloc (1000), g_malloc (50000) },
    .model = g_array_new (FALSE, FALSE, sizeof (IdKey)),
  };
  guint32 draw = 1;

  for (guint step = 0; step < 20000; step++)
    {
      draw = draw * 1664525 + 1013904223;
      toggle (&twins, (draw >> 8) % (step < 10000 ? 700 : 40));
      if (step % 97 != 0)
        continue;
      assert_walks_like (twins.maps[0], twins.model);
      assert_walks_like (twins.maps[1], twins.model);
      if (step % (97 * 5) == 0)
        {
          IdMap *copy = copy_by_walking (twins.maps[1]);

          id_map_free (twins.maps[1]);
          twins.maps[1] = copy;
        }
    }
  for (guint j = 0; j < 2; j++)
    {
      id_map_free (twins.maps[j]);
      g_free (twins.values[j]);
    }
  g_array_unref (twins.model);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/id-map/finds-what-was-inserted", test_finds_what_was_inserted);
  g_test_add_func ("/base/id-map/iterates-in-insertion-order", test_iterates_in_insertion_order);
  g_test_add_func ("/base/id-map/stays-small-under-churn", test_stays_small_under_churn);
  g_test_add_func ("/base/id-map/walk-depends-on-the-order-of-insertion-only",
                   test_walk_depends_on_the_order_of_insertion_only);
  return g_test_run ();
}
