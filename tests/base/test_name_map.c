/* SPDX-License-Identifier: MIT */
#include "core/base/name_map.h"

static void
test_iterates_in_name_order (void)
{
  static const char *const names[] = { "orders", "a", "zebra", "", "orders.eu", "B" };
  static const char *const sorted[] = { "", "B", "a", "orders", "orders.eu" };
  g_autoptr (NameMap) map = name_map_new ();
  NameMapIter iter;
  Slice name;
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    name_map_insert (map, slice_of_text (names[i]), (gpointer) names[i]);
  g_assert_true (name_map_remove (map, slice_of_text ("zebra")) == names[2]);
  g_assert_null (name_map_remove (map, slice_of_text ("zebra")));
  for (iter = name_map_iter (map); name_map_next (&iter, &name, NULL); n++)
    g_assert_true (slice_equal_text (name, sorted[n]));
  g_assert_cmpuint (n, ==, G_N_ELEMENTS (sorted));
}

static void
test_takes_a_name_again (void)
{
  g_autoptr (NameMap) map = name_map_new ();
  int values[300];
  NameMapIter iter;
  gpointer value;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      name_map_insert (map, slice_of_text ("q"), &values[i]);
      g_assert_true (name_map_lookup (map, slice_of_text ("q")) == &values[i]);
      if (i + 1 < G_N_ELEMENTS (values))
        name_map_remove (map, slice_of_text ("q"));
    }
  iter = name_map_iter (map);
  g_assert_true (name_map_next (&iter, NULL, &value));
  g_assert_true (value == &values[G_N_ELEMENTS (values) - 1]);
  g_assert_false (name_map_next (&iter, NULL, &value));
}

/* Whatever came and went, and when it was walked before. */
static void
test_walk_depends_on_the_names_only (void)
{
  enum
  {
    N_NAMES = 300
  };
  g_autoptr (NameMap) map = name_map_new ();
  gboolean present[N_NAMES] = { FALSE };
  guint8 values[N_NAMES];
  guint32 draw = 7;

  for (guint step = 0; step < 20000; step++)
    {
      char text[8];
      guint n;

      draw = draw * 1664525 + 1013904223;
      n = (draw >> 8) % (step < 10000 ? N_NAMES : 30);
      g_snprintf (text, sizeof text, "q%03u", n);
      if (present[n])
        g_assert_true (name_map_remove (map, slice_of_text (text)) == &values[n]);
      else
        name_map_insert (map, slice_of_text (text), &values[n]);
      present[n] = !present[n];
      if (step % 89 == 0)
        {
          NameMapIter iter = name_map_iter (map);
          gpointer value;

          for (guint i = 0; i < N_NAMES; i++)
            if (present[i])
              g_assert_true (name_map_next (&iter, NULL, &value) && value == &values[i]);
          g_assert_false (name_map_next (&iter, NULL, &value));
        }
    }
}

/* Many names come and go; what is there is found, what is not is not. */
static void
test_finds_all_after_removals (void)
{
  g_autoptr (NameMap) map = name_map_new ();
  guint64 values[2000];
  guint n_there = 0;

  for (guint round = 0; round < 5; round++)
    for (guint i = 0; i < G_N_ELEMENTS (values); i++)
      {
        g_autofree char *name = g_strdup_printf ("queue.%u", i);
        gboolean was_there = name_map_lookup (map, slice_of_text (name)) != NULL;

        g_assert_true (was_there == (round % 2 == 1 || (round > 0 && i % 3 == 0)));
        if (!was_there)
          name_map_insert (map, slice_of_text (name), &values[i]);
        else if (i % 3 != 0)
          g_assert_true (name_map_remove (map, slice_of_text (name)) == &values[i]);
        n_there += was_there ? (i % 3 != 0 ? -1 : 0) : 1;
        g_assert_cmpuint (name_map_size (map), ==, n_there);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/base/name-map/iterates-in-name-order", test_iterates_in_name_order);
  g_test_add_func ("/base/name-map/takes-a-name-again", test_takes_a_name_again);
  g_test_add_func ("/base/name-map/walk-depends-on-the-names-only",
                   test_walk_depends_on_the_names_only);
  g_test_add_func ("/base/name-map/finds-all-after-removals", test_finds_all_after_removals);
  return g_test_run ();
}
