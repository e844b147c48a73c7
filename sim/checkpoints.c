/* SPDX-License-Identifier: MIT */
#include "sim/checkpoints.h"
#include "core/base/error.h"

#include <string.h>

#define VERSION 1
#define TITLE   "consort-sim checkpoints "

/* Of a line: two numbers of 20 digits, and of each ingredient two of 16; a blank or the line's end
 * behind each, but within an ingredient. */
#define NUMBER_WIDTH 20
#define HASH_WIDTH   16
#define ROW_WIDTH    (2 * (NUMBER_WIDTH + 1) + N_INGREDIENTS * (2 * HASH_WIDTH + 1))

struct Checkpoints
{
  GString *text;
  gsize rows_at; /* the header's length */
  char *command;
  EventRange range;
  Checkpoint last;
  gboolean last_is_kept;
};

Checkpoints *
checkpoints_new (const char *command, EventRange range)
{
  Checkpoints *checkpoints = g_new0 (Checkpoints, 1);

  g_assert (range.first > 0 && range.every > 0);
  checkpoints->command = g_strdup (command);
  checkpoints->range = range;
  checkpoints->last_is_kept = TRUE;
  checkpoints->text = g_string_new (NULL);
  g_string_printf (checkpoints->text,
                   TITLE "%d\ncommand %s\nevents %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
                         " every %" G_GUINT64_FORMAT "\nevent time_us",
                   VERSION, command, range.first, range.last, range.every);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    g_string_append_printf (checkpoints->text, " %s", ingredient_name (i));
  g_string_append_c (checkpoints->text, '\n');
  checkpoints->rows_at = checkpoints->text->len;
  return checkpoints;
}

void
checkpoints_free (Checkpoints *checkpoints)
{
  g_string_free (checkpoints->text, TRUE);
  g_free (checkpoints->command);
  g_free (checkpoints);
}

/* --- writing ---------------------------------------------------------------------------------- */

static void
keep (Checkpoints *checkpoints, const Checkpoint *checkpoint)
{
  g_string_append_printf (checkpoints->text,
                          "%020" G_GINT64_MODIFIER "u %020" G_GINT64_MODIFIER "u",
                          checkpoint->event, (guint64) checkpoint->time_us);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    g_string_append_printf (checkpoints->text,
                            " %016" G_GINT64_MODIFIER "x%016" G_GINT64_MODIFIER "x",
                            checkpoint->fingerprint.of[i].a, checkpoint->fingerprint.of[i].b);
  g_string_append_c (checkpoints->text, '\n');
}

void
checkpoints_look (Checkpoints *checkpoints, const Checkpoint *now)
{
  const EventRange *range = &checkpoints->range;

  if (now->event + 1 < range->first || now->event > range->last)
    return;
  checkpoints->last = *now;
  checkpoints->last_is_kept = now->event + 1 == range->first || now->event % range->every == 0;
  if (checkpoints->last_is_kept)
    keep (checkpoints, now);
}

void
checkpoints_end (Checkpoints *checkpoints)
{
  if (!checkpoints->last_is_kept)
    keep (checkpoints, &checkpoints->last);
  checkpoints->last_is_kept = TRUE;
}

const char *
checkpoints_text (const Checkpoints *checkpoints, gsize *ret_length)
{
  *ret_length = checkpoints->text->len;
  return checkpoints->text->str;
}

/* --- reading ---------------------------------------------------------------------------------- */

static gboolean
take_text (const char **next, const char *expected)
{
  if (!g_str_has_prefix (*next, expected))
    return FALSE;
  *next += strlen (expected);
  return TRUE;
}

static gboolean
take_number (const char **next, guint base, guint64 *ret_number)
{
  char *end;

  if (!g_ascii_isxdigit (**next))
    return FALSE;
  *ret_number = g_ascii_strtoull (*next, &end, base);
  *next = end;
  return TRUE;
}

static gboolean
take_range (const char **next, EventRange *range)
{
  return take_text (next, "events ") && take_number (next, 10, &range->first)
         && take_text (next, "..") && take_number (next, 10, &range->last)
         && take_text (next, " every ") && take_number (next, 10, &range->every)
         && take_text (next, "\n") && range->first > 0 && range->every > 0;
}

static gboolean
take_columns (const char **next)
{
  gboolean good = take_text (next, "event time_us");

  for (guint i = 0; i < N_INGREDIENTS; i++)
    good = good && take_text (next, " ") && take_text (next, ingredient_name (i));
  return good && take_text (next, "\n");
}

Checkpoints *
checkpoints_new_take_text (char *text, gsize length, GError **error)
{
  g_autofree char *taken = text;
  g_autoptr (Checkpoints) checkpoints = g_new0 (Checkpoints, 1);
  const char *next = text, *end;
  guint64 version;

  checkpoints->text = g_string_new_len (text, (gssize) length);
  checkpoints->last_is_kept = TRUE;
  if (!take_text (&next, TITLE) || !take_number (&next, 10, &version) || !take_text (&next, "\n"))
    {
      system_error (error, SYSTEM_ERROR_MALFORMED, "not a file of checkpoints");
      return NULL;
    }
  if (version != VERSION)
    {
      system_error (error, SYSTEM_ERROR_VERSION,
                    "checkpoints of version %" G_GUINT64_FORMAT ", not %d", version, VERSION);
      return NULL;
    }
  end = take_text (&next, "command ") ? strchr (next, '\n') : NULL;
  if (end != NULL)
    {
      checkpoints->command = g_strndup (next, (gsize) (end - next));
      next = end + 1;
    }
  if (end == NULL || !take_range (&next, &checkpoints->range) || !take_columns (&next))
    {
      system_error (error, SYSTEM_ERROR_MALFORMED, "its header is not complete");
      return NULL;
    }
  checkpoints->rows_at = (gsize) (next - text);
  if (length == checkpoints->rows_at || (length - checkpoints->rows_at) % ROW_WIDTH != 0)
    {
      system_error (error, SYSTEM_ERROR_MALFORMED, "its last line is not complete");
      return NULL;
    }
  return g_steal_pointer (&checkpoints);
}

const char *
checkpoints_command (const Checkpoints *checkpoints)
{
  return checkpoints->command;
}

EventRange
checkpoints_range (const Checkpoints *checkpoints)
{
  return checkpoints->range;
}

gsize
checkpoints_count (const Checkpoints *checkpoints)
{
  return (checkpoints->text->len - checkpoints->rows_at) / ROW_WIDTH;
}

/* A hash has no blank between its halves: the first is read from a copy. */
static gboolean
take_hash (const char **next, RollingHash *ret_hash)
{
  char half[HASH_WIDTH + 1];
  const char *digits = half;

  g_strlcpy (half, *next, sizeof half);
  *next += HASH_WIDTH;
  return take_number (&digits, 16, &ret_hash->a) && *digits == '\0'
         && take_number (next, 16, &ret_hash->b);
}

gboolean
checkpoints_get (const Checkpoints *checkpoints, gsize index, Checkpoint *ret_checkpoint,
                 GError **error)
{
  const char *row = checkpoints->text->str + checkpoints->rows_at + index * ROW_WIDTH;
  const char *next = row;
  Checkpoint checkpoint;
  guint64 time_us = 0;
  gboolean good;

  g_assert (index < checkpoints_count (checkpoints));
  good = take_number (&next, 10, &checkpoint.event) && take_text (&next, " ")
         && take_number (&next, 10, &time_us);
  for (guint i = 0; i < N_INGREDIENTS; i++)
    good = good && take_text (&next, " ") && take_hash (&next, &checkpoint.fingerprint.of[i]);
  if (!good || !take_text (&next, "\n") || next != row + ROW_WIDTH)
    return system_error (error, SYSTEM_ERROR_MALFORMED, "checkpoint %" G_GSIZE_FORMAT " is not one",
                         index);
  checkpoint.time_us = (gint64) time_us;
  *ret_checkpoint = checkpoint;
  return TRUE;
}

/* --- comparing -------------------------------------------------------------------------------- */

static gboolean
are_equal_at (const Checkpoints *a, const Checkpoints *b, gsize index, gboolean *ret_equal,
              GError **error)
{
  Checkpoint of_a, of_b;

  if (!checkpoints_get (a, index, &of_a, error) || !checkpoints_get (b, index, &of_b, error))
    return FALSE;
  *ret_equal = of_a.event == of_b.event && of_a.time_us == of_b.time_us
               && fingerprint_equal (&of_a.fingerprint, &of_b.fingerprint);
  return TRUE;
}

gboolean
checkpoints_compare (const Checkpoints *a, const Checkpoints *b, Difference *ret_difference,
                     GError **error)
{
  gsize n_a = checkpoints_count (a), n_b = checkpoints_count (b);
  /* Those before `low` are equal, those from `high` on are not, or are not there. */
  gsize low = 0, high = MIN (n_a, n_b);
  guint n_looked = 0;

  if (a->range.first != b->range.first || a->range.every != b->range.every)
    return system_error (error, SYSTEM_ERROR_REFUSED,
                         "they are of different events: %" G_GUINT64_FORMAT
                         ".. every %" G_GUINT64_FORMAT ", and %" G_GUINT64_FORMAT
                         ".. every %" G_GUINT64_FORMAT,
                         a->range.first, a->range.every, b->range.first, b->range.every);
  while (low < high)
    {
      gsize middle = low + (high - low) / 2;
      gboolean equal;

      if (!are_equal_at (a, b, middle, &equal, error))
        return FALSE;
      n_looked++;
      if (equal)
        low = middle + 1;
      else
        high = middle;
    }
  *ret_difference = (Difference){
    .found = low < MAX (n_a, n_b),
    .index = low,
    .n_looked = n_looked,
  };
  return TRUE;
}
