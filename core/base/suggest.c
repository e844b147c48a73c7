/* SPDX-License-Identifier: MIT */
#include "core/base/suggest.h"

#include <string.h>

/* Longer words are not compared: nothing we know is that long. */
#define WORD_MAX 40

/* Edit distance with swaps of neighbours (optimal string alignment). */
static guint
distance (const char *a, gsize a_length, const char *b, gsize b_length)
{
  guint rows[3][WORD_MAX + 1];
  guint *before = rows[0], *last = rows[1], *row = rows[2];

  for (gsize j = 0; j <= b_length; j++)
    last[j] = (guint) j;
  for (gsize i = 1; i <= a_length; i++)
    {
      guint *unused = before;

      row[0] = (guint) i;
      for (gsize j = 1; j <= b_length; j++)
        {
          char x = g_ascii_tolower (a[i - 1]), y = g_ascii_tolower (b[j - 1]);

          row[j] = MIN (last[j - 1] + (x != y), MIN (last[j], row[j - 1]) + 1);
          if (i > 1 && j > 1 && x == g_ascii_tolower (b[j - 2]) && y == g_ascii_tolower (a[i - 2]))
            row[j] = MIN (row[j], before[j - 2] + 1);
        }
      before = last;
      last = row;
      row = unused;
    }
  return last[b_length];
}

const char *
suggest_name (const char *wrong, const char *const *known, guint n_known)
{
  gsize length = strlen (wrong);
  const char *nearest = NULL;
  guint nearest_distance = 0;

  if (length == 0 || length > WORD_MAX)
    return NULL;
  for (guint i = 0; i < n_known; i++)
    {
      gsize known_length = strlen (known[i]);
      guint d;

      if (known_length > WORD_MAX)
        continue;
      d = distance (wrong, length, known[i], known_length);
      /* A third of the letters may be wrong; of a short word, one. */
      if (d <= MAX (1, MIN (length, known_length) / 3) && d < known_length
          && (nearest == NULL || d < nearest_distance))
        {
          nearest = known[i];
          nearest_distance = d;
        }
    }
  return nearest;
}

char *
suggest_text (const char *wrong, const char *const *known, guint n_known)
{
  const char *near = suggest_name (wrong, known, n_known);

  return near == NULL ? g_strdup ("") : g_strdup_printf (", did you mean '%s'?", near);
}
