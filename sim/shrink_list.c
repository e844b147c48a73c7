/* SPDX-License-Identifier: MIT */
#include "sim/shrink_list.h"

/* `kept` without those at `from` to `to` - 1. */
static GArray *
without (const GArray *kept, guint from, guint to)
{
  GArray *rest = g_array_sized_new (FALSE, FALSE, sizeof (guint), kept->len);

  g_array_append_vals (rest, kept->data, from);
  g_array_append_vals (rest, &g_array_index (kept, guint, to), kept->len - to);
  return rest;
}

/* Leaves out one chunk of `size` after the other, from the last one on: what comes first causes
 * what comes later. TRUE: one of them was not needed. */
static gboolean
leave_out_chunks (GArray **kept, guint size, ShrinkListTest test, gpointer user_data)
{
  guint to = (*kept)->len; /* what is behind it is needed */
  gboolean fewer = FALSE;

  while (to > 0)
    {
      g_autoptr (GPtrArray) candidates
          = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
      guint first, from = to;

      while (from > 0 && candidates->len < SHRINK_LIST_BATCH)
        {
          guint chunk_to = from;

          from -= MIN (size, from);
          g_ptr_array_add (candidates, without (*kept, from, chunk_to));
        }
      first = test (candidates, user_data);
      g_assert (first <= candidates->len);
      if (first == candidates->len)
        {
          to = from;
          continue;
        }
      to -= MIN (to, (first + 1) * size);
      g_array_unref (*kept);
      *kept = g_ptr_array_steal_index (candidates, first);
      fewer = TRUE;
    }
  return fewer;
}

static gboolean
fails_with_nothing (ShrinkListTest test, gpointer user_data)
{
  g_autoptr (GPtrArray) candidates
      = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  g_ptr_array_add (candidates, g_array_new (FALSE, FALSE, sizeof (guint)));
  return test (candidates, user_data) == 0;
}

GArray *
shrink_list (guint n, ShrinkListTest test, gpointer user_data)
{
  GArray *kept = g_array_sized_new (FALSE, FALSE, sizeof (guint), n);

  if (n == 0 || fails_with_nothing (test, user_data))
    return kept;
  for (guint i = 0; i < n; i++)
    g_array_append_val (kept, i);
  for (guint size = (n + 1) / 2; size > 1; size = (size + 1) / 2)
    leave_out_chunks (&kept, MIN (size, (kept->len + 1) / 2), test, user_data);
  while (kept->len > 1 && leave_out_chunks (&kept, 1, test, user_data))
    ;
  return kept;
}

GArray *
shrink_number (guint64 number, guint64 low)
{
  static const guint64 digits[] = { 1, 2, 3, 5 };
  GArray *numbers = g_array_new (FALSE, FALSE, sizeof (guint64));

  if (low == 0 && number > 0)
    g_array_append_val (numbers, low);
  for (guint64 power = 1; power < number && power < G_MAXUINT32; power *= 10)
    for (guint i = 0; i < G_N_ELEMENTS (digits); i++)
      {
        guint64 candidate = digits[i] * power;

        if (candidate >= low && candidate < number)
          g_array_append_val (numbers, candidate);
      }
  return numbers;
}

GArray *
shrink_time (gint64 us)
{
  GArray *times = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 unit = 1;

  while (unit <= us / 10)
    unit *= 10;
  for (; unit > 1; unit /= 10)
    {
      gint64 rounded = (us + unit / 2) / unit * unit;
      gboolean is_new = times->len == 0 || g_array_index (times, gint64, times->len - 1) != rounded;

      if (rounded == us)
        break;
      if (is_new)
        g_array_append_val (times, rounded);
      if (unit == 1000)
        break;
    }
  return times;
}
