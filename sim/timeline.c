/* SPDX-License-Identifier: MIT */
#include "sim/timeline.h"

struct Timeline
{
  GArray *entries; /* of TimelineEntry */
};

static void
clear_entry (gpointer data)
{
  TimelineEntry *entry = data;

  trigger_clear (&entry->trigger);
  fault_clear (&entry->fault);
}

Timeline *
timeline_new (void)
{
  Timeline *timeline = g_new0 (Timeline, 1);

  timeline->entries = g_array_new (FALSE, FALSE, sizeof (TimelineEntry));
  g_array_set_clear_func (timeline->entries, clear_entry);
  return timeline;
}

Timeline *
timeline_copy (const Timeline *timeline)
{
  Timeline *copy = timeline_new ();

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      const TimelineEntry *entry = timeline_peek (timeline, i);

      timeline_add (copy, trigger_copy (&entry->trigger), fault_copy (&entry->fault));
    }
  return copy;
}

void
timeline_free (Timeline *timeline)
{
  g_array_unref (timeline->entries);
  g_free (timeline);
}

void
timeline_add (Timeline *timeline, Trigger take_trigger, Fault take_fault)
{
  TimelineEntry entry = { take_trigger, take_fault };

  g_array_append_val (timeline->entries, entry);
}

void
timeline_remove (Timeline *timeline, guint index)
{
  g_array_remove_index (timeline->entries, index);
}

guint
timeline_length (const Timeline *timeline)
{
  return timeline->entries->len;
}

const TimelineEntry *
timeline_peek (const Timeline *timeline, guint index)
{
  g_assert (index < timeline->entries->len);
  return &g_array_index (timeline->entries, TimelineEntry, index);
}

gint
timeline_highest_member (const Timeline *timeline)
{
  gint highest = PHRASE_NOBODY;

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      const TimelineEntry *entry = timeline_peek (timeline, i);

      highest = MAX (highest, phrase_values_highest (&entry->trigger.condition.values));
      highest = MAX (highest, phrase_values_highest (&entry->fault.values));
    }
  return highest;
}

gboolean
timeline_parse_entry (Timeline *timeline, Slice trigger_slice, KeyfilePosition trigger_position,
                      Slice fault_slice, KeyfilePosition fault_position, GError **error)
{
  Trigger trigger;
  Fault fault;

  if (!trigger_parse (trigger_slice, trigger_position, &trigger, error))
    return FALSE;
  if (!fault_parse (fault_slice, fault_position, &fault, error))
    {
      trigger_clear (&trigger);
      return FALSE;
    }
  timeline_add (timeline, trigger, fault);
  return TRUE;
}

char *
timeline_text (const Timeline *timeline)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      const TimelineEntry *entry = timeline_peek (timeline, i);
      g_autofree char *when = trigger_text (&entry->trigger);
      g_autofree char *what = fault_text (&entry->fault);

      g_string_append_printf (text, "%s = %s\n", when, what);
    }
  return g_string_free (text, FALSE);
}
