/* SPDX-License-Identifier: MIT */
#include "sim/story.h"
#include "core/base/limits.h"
#include "sim/member_name.h"

#include <string.h>

/* More members are counted, not named. */
#define NAMED_MAX 12

struct Story
{
  Trace trace;
  const World *world;
  Trace *next;
  GPtrArray *lines; /* of char *, without their end */
  guint64 n_left_out;
  char *text; /* of the last line, for others to join in; NULL: there is none yet */
  gint64 time_ms;
  GString *names;
  guint n_names;
};

/* --- lines ------------------------------------------------------------------------------------ */

/* The first ones and the last ones stay. */
static void
add_line (Story *story, char *take_line)
{
  if (story->lines->len == 2 * LIMIT_STORY_LINES)
    {
      g_ptr_array_remove_index (story->lines, LIMIT_STORY_LINES);
      story->n_left_out++;
    }
  g_ptr_array_add (story->lines, take_line);
}

static void
end_line (Story *story)
{
  if (story->text == NULL)
    return;
  add_line (story,
            g_strdup_printf ("%" G_GINT64_FORMAT "ms %s%s%s", story->time_ms, story->names->str,
                             story->n_names == 0 ? "" : " > ", story->text));
  g_clear_pointer (&story->text, g_free);
  g_string_truncate (story->names, 0);
  story->n_names = 0;
}

/* `name`: NULL for what is nobody's. */
static void
tell (Story *story, const char *name, const char *text)
{
  if (name == NULL || story->n_names == 0 || strcmp (story->text, text) != 0
      || g_str_has_suffix (story->names->str, name))
    {
      end_line (story);
      story->text = g_strdup (text);
      story->time_ms = world_now_us (story->world) / 1000;
    }
  if (name == NULL)
    return;
  g_string_append_printf (story->names, "%s%s", story->n_names == 0 ? "" : " ", name);
  story->n_names++;
}

/* --- what is told ----------------------------------------------------------------------------- */

static void
tell_phase (Story *story, const char *phase)
{
  const WorldCounts *counts = &story->world->counts;
  g_autofree char *text = NULL;

  if (strcmp (phase, phase_names[PHASE_WORK]) == 0)
    tell (story, NULL, "the work begins");
  if (strcmp (phase, phase_names[PHASE_DRAIN]) != 0)
    return;
  text = g_strdup_printf (
      "the work is over: %" G_GUINT64_FORMAT " of %u confirmed, %" G_GUINT64_FORMAT
      " delivered, %" G_GUINT64_FORMAT " of them again",
      counts->confirmed, story->world->options->messages, counts->delivered, counts->redelivered);
  tell (story, NULL, text);
}

/* "idle, was joining": what it was is known. That a member begins idle, and what is between joining
 * and active, is not worth a line. */
static void
tell_state (Story *story, const char *member, const char *state)
{
  g_autofree char *text = g_strndup (state, strcspn (state, ","));

  if (strcmp (state, "idle, was outside") != 0 && strcmp (text, "loaded") != 0)
    tell (story, member, text);
}

/* "state for 2.1: 158 bytes at position 3": its node is known by name. */
static void
tell_transfer (Story *story, const char *member, const char *to)
{
  static const char sends[] = "sends its state to";
  char name[MEMBER_NAME_SIZE];
  guint64 node_id = g_ascii_strtoull (to, NULL, 10);

  g_assert (node_id > 0);
  member_name_text ((guint) node_id - 1, name);
  if (story->n_names == 1 && strcmp (story->names->str, member) == 0
      && g_str_has_prefix (story->text, sends))
    {
      g_autofree char *one = g_steal_pointer (&story->text);

      story->text = g_strconcat (one, " ", name, NULL);
    }
  else
    {
      g_autofree char *text = g_strconcat (sends, " ", name, NULL);

      tell (story, member, text);
    }
}

/* What members do in the course of a fault is known from the fault. */
static void
tell_world (Story *story, const char *text)
{
  if (g_str_has_prefix (text, "phase "))
    tell_phase (story, text + strlen ("phase "));
  else if (g_str_has_prefix (text, "fault "))
    tell (story, NULL, text + strlen ("fault "));
  else if (g_str_has_prefix (text, "recipe ") || g_str_has_prefix (text, "no chance ")
           || strcmp (text, "suspended") == 0)
    tell (story, NULL, text);
}

static void
story_emit (Trace *trace, const char *member, const char *text)
{
  Story *story = (Story *) trace;

  if (story->next != NULL)
    story->next->emit (story->next, member, text);
  if (strcmp (member, "world") == 0)
    tell_world (story, text);
  else if (g_str_has_prefix (text, "told "))
    tell (story, member, text + strlen ("told "));
  else if (g_str_has_prefix (text, "state for "))
    tell_transfer (story, member, text + strlen ("state for "));
  else if (g_str_has_prefix (text, "state "))
    tell_state (story, member, text + strlen ("state "));
}

/* --- its life --------------------------------------------------------------------------------- */

Story *
story_new (const World *world, Trace *next)
{
  Story *story = g_new0 (Story, 1);

  story->trace.emit = story_emit;
  story->world = world;
  story->next = next;
  story->lines = g_ptr_array_new_with_free_func (g_free);
  story->names = g_string_new (NULL);
  return story;
}

void
story_free (Story *story)
{
  g_ptr_array_unref (story->lines);
  g_string_free (story->names, TRUE);
  g_free (story->text);
  g_free (story);
}

Trace *
story_trace (Story *story)
{
  return &story->trace;
}

static void
tell_verdict (Story *story)
{
  const Findings *findings = story->world->findings;
  g_autofree char *text
      = g_strdup_printf ("verdict %s%s%s", verdict_name (findings_verdict (findings)),
                         findings_count (findings) == 0 ? "" : ", ",
                         findings_count (findings) == 0 ? "" : findings_text (findings, 0));

  tell (story, NULL, text);
  end_line (story);
}

char *
story_text (Story *story)
{
  GString *text = g_string_new (NULL);

  tell_verdict (story);
  for (guint i = 0; i < story->lines->len; i++)
    {
      if (story->n_left_out > 0 && i == LIMIT_STORY_LINES)
        g_string_append_printf (text, "... %" G_GUINT64_FORMAT " lines\n", story->n_left_out);
      g_string_append_printf (text, "%s\n", (const char *) story->lines->pdata[i]);
    }
  return g_string_free (text, FALSE);
}

/* --- views ------------------------------------------------------------------------------------ */

static void
append_member (GString *text, MemberId member)
{
  char name[MEMBER_NAME_SIZE];

  g_string_append (text, member_name_text (member.node_id - 1, name));
}

/* Lists of changes have no order; people have one. */
static int
compare_changes (gconstpointer a, gconstpointer b)
{
  return member_id_compare (((const ViewChange *) a)->member, ((const ViewChange *) b)->member);
}

static void
append_changes (GString *text, const char *what, const ViewChange *changes, guint n_changes)
{
  g_autoptr (GArray) sorted = g_array_new (FALSE, FALSE, sizeof (ViewChange));

  if (n_changes == 0)
    return;
  g_array_append_vals (sorted, changes, n_changes);
  g_array_sort (sorted, compare_changes);
  g_string_append (text, what);
  for (guint i = 0; i < MIN (n_changes, NAMED_MAX); i++)
    {
      g_string_append_c (text, ' ');
      append_member (text, g_array_index (sorted, ViewChange, i).member);
    }
  if (n_changes > NAMED_MAX)
    g_string_append_printf (text, " and %u more", n_changes - NAMED_MAX);
}

char *
story_view (const View *view)
{
  GString *text = g_string_new ("view ");

  if (view->n_members > NAMED_MAX)
    g_string_append_printf (text, "of %u members", view->n_members);
  else
    for (guint i = 0; i < view->n_members; i++)
      {
        g_string_append (text, i == 0 ? "{" : " ");
        append_member (text, view->members[i]);
      }
  if (view->n_members > 0 && view->n_members <= NAMED_MAX)
    g_string_append_c (text, '}');
  append_changes (text, ", lost", view->left, view->n_left);
  append_changes (text, ", met", view->joined, view->n_joined);
  return g_string_free (text, FALSE);
}
