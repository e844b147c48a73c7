/* SPDX-License-Identifier: MIT */
/* What is left of a list is enough and all of it is needed, whatever was needed, and it does not
 * take many questions. */
#include "core/base/digest.h"
#include "sim/shrink_list.h"

/* --- a test that fails while all of some elements are there ------------------------------------
 */

typedef struct Needed
{
  const guint *elements;
  guint n;
  guint n_batches;
  guint n_candidates; /* that had to be tried, one after the other */
} Needed;

static gboolean
holds (const GArray *kept, guint element)
{
  for (guint i = 0; i < kept->len; i++)
    if (g_array_index (kept, guint, i) == element)
      return TRUE;
  return FALSE;
}

static guint
fails_with_needed (GPtrArray *candidates, gpointer user_data)
{
  Needed *needed = user_data;

  needed->n_batches++;
  g_assert_cmpuint (candidates->len, <=, SHRINK_LIST_BATCH);
  for (guint i = 0; i < candidates->len; i++)
    {
      guint n_there = 0;

      needed->n_candidates++;
      for (guint j = 0; j < needed->n; j++)
        n_there += holds (g_ptr_array_index (candidates, i), needed->elements[j]);
      if (n_there == needed->n)
        return i;
    }
  return candidates->len;
}

typedef struct ListCase
{
  const char *name;
  guint n;
  guint needed[6];
  guint n_needed;
  guint candidates_max;
} ListCase;

static const ListCase list_cases[] = {
  { "nothing-of-nothing", 0, { 0 }, 0, 0 },
  { "nothing-of-many", 1000, { 0 }, 0, 1 },
  { "one-of-one", 1, { 0 }, 1, 1 },
  { "the-first-of-two", 2, { 0 }, 1, 3 },
  { "the-last-of-two", 2, { 1 }, 1, 3 },
  { "one-of-a-thousand", 1000, { 617 }, 1, 30 },
  { "two-far-apart", 1000, { 3, 996 }, 2, 50 },
  { "neighbours-across-the-middle", 1000, { 499, 500 }, 2, 40 },
  { "six-of-a-thousand", 1000, { 1, 2, 300, 301, 650, 999 }, 6, 100 },
  { "all-of-six", 6, { 0, 1, 2, 3, 4, 5 }, 6, 15 },
};

static void
test_list (gconstpointer data)
{
  const ListCase *list_case = data;
  Needed needed = { list_case->needed, list_case->n_needed, 0, 0 };
  g_autoptr (GArray) kept = shrink_list (list_case->n, fails_with_needed, &needed);

  g_assert_cmpuint (kept->len, ==, list_case->n_needed);
  for (guint i = 0; i < kept->len; i++)
    g_assert_cmpuint (g_array_index (kept, guint, i), ==, list_case->needed[i]);
  g_test_message ("%u candidates in %u questions", needed.n_candidates, needed.n_batches);
  g_assert_cmpuint (needed.n_candidates, <=, list_case->candidates_max);
}

/* --- one that fails for several reasons, some of which need each other -------------------------
 */

/* Fails with the right number of elements that hash together: nothing that can be guessed. */
static gboolean
fails_strangely (const GArray *kept, guint64 seed)
{
  guint n_odd = 0;

  for (guint i = 0; i < kept->len; i++)
    n_odd += digest_combine (seed, g_array_index (kept, guint, i)) % 5 == 0;
  return n_odd >= 3 && n_odd % 2 == 1;
}

static guint
fails_at_random (GPtrArray *candidates, gpointer user_data)
{
  for (guint i = 0; i < candidates->len; i++)
    if (fails_strangely (g_ptr_array_index (candidates, i), *(guint64 *) user_data))
      return i;
  return candidates->len;
}

/* Whatever it is that fails: it still does, and does not with any single element less. */
static void
test_minimal (void)
{
  guint n_tried = 0;

  for (guint64 seed = 0; seed < 200; seed++)
    {
      g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (guint));
      g_autoptr (GArray) kept = NULL;

      for (guint i = 0; i < 40 + seed % 60; i++)
        g_array_append_val (all, i);
      if (!fails_strangely (all, seed))
        continue;
      n_tried++;
      kept = shrink_list (all->len, fails_at_random, &seed);
      g_assert_true (fails_strangely (kept, seed));
      for (guint i = 0; i < kept->len; i++)
        {
          g_autoptr (GArray) less = g_array_copy (kept);

          g_array_remove_index (less, i);
          g_assert_false (fails_strangely (less, seed));
        }
    }
  g_assert_cmpuint (n_tried, >, 50);
}

/* --- numbers and times --------------------------------------------------------------------------
 */

static char *
numbers_text (GArray *take_numbers)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < take_numbers->len; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT, i == 0 ? "" : " ",
                            g_array_index (take_numbers, guint64, i));
  g_array_unref (take_numbers);
  return g_string_free (text, FALSE);
}

static void
test_numbers (void)
{
  g_autofree char *from_300 = numbers_text (shrink_number (300, 0));
  g_autofree char *from_5 = numbers_text (shrink_number (5, 2));
  g_autofree char *from_1 = numbers_text (shrink_number (1, 0));
  g_autofree char *from_0 = numbers_text (shrink_number (0, 0));

  g_assert_cmpstr (from_300, ==, "0 1 2 3 5 10 20 30 50 100 200");
  g_assert_cmpstr (from_5, ==, "2 3");
  g_assert_cmpstr (from_1, ==, "0");
  g_assert_cmpstr (from_0, ==, "");
}

typedef struct TimeCase
{
  gint64 us;
  const char *times;
} TimeCase;

static const TimeCase time_cases[] = {
  { 212431, "200000 210000 212000" },
  { 1962431, "2000000 1960000 1962000" },
  { 200000, "" },
  { 999999, "1000000" },
  { 15400, "20000 15000" },
  { 840, "800" },
  { 7, "" },
  { 0, "" },
};

static void
test_times (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (time_cases); i++)
    {
      /* Times are numbers of the same size. */
      g_autofree char *text = numbers_text (shrink_time (time_cases[i].us));

      g_assert_cmpstr (text, ==, time_cases[i].times);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (list_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/shrink-list/", list_cases[i].name, NULL);

      g_test_add_data_func (path, &list_cases[i], test_list);
    }
  g_test_add_func ("/sim/shrink-list/nothing-can-be-left-out-of-the-result", test_minimal);
  g_test_add_func ("/sim/shrink-list/numbers-are-readable", test_numbers);
  g_test_add_func ("/sim/shrink-list/times-are-readable", test_times);
  return g_test_run ();
}
