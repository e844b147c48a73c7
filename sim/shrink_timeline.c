/* SPDX-License-Identifier: MIT */
#include "sim/shrink_timeline.h"
#include "sim/shrink_list.h"

/* --- copies with a difference ---------------------------------------------------------------- */

static void
add_copy (Timeline *timeline, const TimelineEntry *entry)
{
  timeline_add (timeline, trigger_copy (&entry->trigger), fault_copy (&entry->fault));
}

/* With another entry in that place. */
static Timeline *
with_entry (const Timeline *timeline, guint index, const TimelineEntry *entry)
{
  Timeline *copy = timeline_new ();

  for (guint i = 0; i < timeline_length (timeline); i++)
    add_copy (copy, i == index ? entry : timeline_peek (timeline, i));
  return copy;
}

Timeline *
shrink_timeline_keep (const Timeline *timeline, const GArray *kept)
{
  Timeline *rest = timeline_new ();

  for (guint i = 0; i < kept->len; i++)
    add_copy (rest, timeline_peek (timeline, g_array_index (kept, guint, i)));
  return rest;
}

Timeline *
shrink_timeline_scale (const Timeline *timeline, guint64 share, guint64 of)
{
  Timeline *scaled = timeline_new ();

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      TimelineEntry entry = *timeline_peek (timeline, i);

      if (entry.trigger.kind == TRIGGER_AT)
        entry.trigger.at_us = entry.trigger.at_us * (gint64) share / (gint64) of;
      add_copy (scaled, &entry);
    }
  return scaled;
}

/* --- members that are left out ---------------------------------------------------------------- */

/* Every member is named, parts are counted as they come. FALSE: there is only one. */
static gboolean
renumber_parts (GArray *parts)
{
  g_autoptr (GArray) old = g_array_copy (parts);
  guint n_parts = 0;

  for (guint i = 0; i < old->len; i++)
    {
      guint first = 0;

      while (g_array_index (old, guint, first) != g_array_index (old, guint, i))
        first++;
      g_array_index (parts, guint, i)
          = first == i ? n_parts++ : g_array_index (parts, guint, first);
    }
  return n_parts > 1;
}

/* FALSE: it is about somebody who is left out. */
static gboolean
rename_member (gint *member, const GArray *kept)
{
  if (*member < 0)
    return TRUE;
  for (guint i = 0; i < kept->len; i++)
    if (g_array_index (kept, guint, i) == (guint) *member)
      {
        *member = (gint) i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
keep_members (PhraseValues *values, const GArray *kept)
{
  GArray *parts;

  if (!rename_member (&values->member, kept) || !rename_member (&values->other, kept))
    return FALSE;
  if (values->parts == NULL)
    return TRUE;
  parts = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < kept->len; i++)
    {
      guint part = phrase_part_of (values, g_array_index (kept, guint, i));

      g_array_append_val (parts, part);
    }
  g_array_unref (values->parts);
  values->parts = parts;
  return renumber_parts (parts);
}

Timeline *
shrink_timeline_members (const Timeline *timeline, const GArray *kept, guint n_members)
{
  Timeline *rest = timeline_new ();

  g_assert (kept->len <= n_members);
  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      const TimelineEntry *entry = timeline_peek (timeline, i);
      Trigger trigger = trigger_copy (&entry->trigger);
      Fault fault = fault_copy (&entry->fault);

      if (keep_members (&trigger.condition.values, kept) && keep_members (&fault.values, kept))
        {
          timeline_add (rest, trigger, fault);
          continue;
        }
      trigger_clear (&trigger);
      fault_clear (&fault);
    }
  return rest;
}

/* --- faults with their end in one ------------------------------------------------------------- */

/* What puts which right. */
static const struct
{
  FaultKind kind;
  FaultKind end;
} fault_ends[] = {
  { FAULT_CRASH, FAULT_RESTART },         { FAULT_SUFFIX_LOSS, FAULT_RESTART },
  { FAULT_STOP, FAULT_RESTART },          { FAULT_NODE_DOWN, FAULT_RESTART },
  { FAULT_GHOST, FAULT_RESTART },         { FAULT_PAUSE, FAULT_RESUME },
  { FAULT_HANG, FAULT_RESUME },           { FAULT_LAG, FAULT_CATCH_UP },
  { FAULT_PARTITION, FAULT_HEAL },        { FAULT_ISOLATE, FAULT_HEAL },
  { FAULT_ONE_WAY, FAULT_HEAL },          { FAULT_NON_TRANSITIVE, FAULT_HEAL },
  { FAULT_MAJORITY_RING, FAULT_HEAL },    { FAULT_HANDLE_LOST, FAULT_DAEMON_UP },
  { FAULT_DAEMON_STOP, FAULT_DAEMON_UP }, { FAULT_SLOW_READER, FAULT_LISTEN },
  { FAULT_SILENCE, FAULT_LISTEN },
};

static gboolean
ends (const Fault *end, const Fault *fault)
{
  if (fault->values.duration_us != 0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (fault_ends); i++)
    if (fault_ends[i].kind == fault->kind && fault_ends[i].end == end->kind)
      return end->kind == FAULT_HEAL
             || (end->values.member == fault->values.member
                 && g_strcmp0 (end->values.client, fault->values.client) == 0);
  return FALSE;
}

/* 0: nobody knows. */
static gint64
time_between (const Trigger *from, const Trigger *to)
{
  if (from->kind != to->kind || from->kind == TRIGGER_WHEN || from->confirmed != to->confirmed)
    return 0;
  return to->at_us + to->plus_us - from->at_us - from->plus_us;
}

static Timeline *
fold (const Timeline *timeline, guint index, guint end, gint64 duration_us)
{
  TimelineEntry entry = *timeline_peek (timeline, index);
  Timeline *folded;

  entry.fault.values.duration_us = duration_us;
  folded = with_entry (timeline, index, &entry);
  timeline_remove (folded, end);
  return folded;
}

GPtrArray *
shrink_timeline_fold (const Timeline *timeline)
{
  GPtrArray *folded = g_ptr_array_new_with_free_func ((GDestroyNotify) timeline_free);

  for (guint i = 0; i < timeline_length (timeline); i++)
    for (guint j = i + 1; j < timeline_length (timeline); j++)
      {
        const TimelineEntry *entry = timeline_peek (timeline, i);
        const TimelineEntry *end = timeline_peek (timeline, j);
        gint64 duration_us = time_between (&entry->trigger, &end->trigger);

        if (!ends (&end->fault, &entry->fault))
          continue;
        if (duration_us > 0)
          g_ptr_array_add (folded, fold (timeline, i, j, duration_us));
        break;
      }
  return folded;
}

/* --- when ------------------------------------------------------------------------------------- */

static Timeline *
after (const Timeline *timeline, guint64 confirmed, gint64 first_us)
{
  Timeline *later = timeline_new ();

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      TimelineEntry entry = *timeline_peek (timeline, i);

      if (entry.trigger.kind == TRIGGER_AT)
        {
          entry.trigger.kind = TRIGGER_AFTER;
          entry.trigger.confirmed = confirmed;
          entry.trigger.plus_us = entry.trigger.at_us - first_us;
          entry.trigger.at_us = 0;
        }
      add_copy (later, &entry);
    }
  return later;
}

GPtrArray *
shrink_timeline_after (const Timeline *timeline, guint64 messages)
{
  GPtrArray *later = g_ptr_array_new_with_free_func ((GDestroyNotify) timeline_free);
  g_autoptr (GArray) numbers = shrink_number (messages, 1);
  gint64 first_us = G_MAXINT64;

  for (guint i = 0; i < timeline_length (timeline); i++)
    {
      const Trigger *trigger = &timeline_peek (timeline, i)->trigger;

      if (trigger->kind == TRIGGER_AT)
        first_us = MIN (first_us, trigger->at_us);
    }
  for (guint i = 0; i < numbers->len && first_us < G_MAXINT64; i++)
    g_ptr_array_add (later, after (timeline, g_array_index (numbers, guint64, i), first_us));
  return later;
}

/* --- one entry ----------------------------------------------------------------------------------
 */

typedef struct Simpler
{
  const Timeline *timeline;
  guint index;
  GPtrArray *timelines; /* what came of it */
} Simpler;

static void
take_entry (Simpler *simpler, const TimelineEntry *entry)
{
  g_ptr_array_add (simpler->timelines, with_entry (simpler->timeline, simpler->index, entry));
}

/* `field` is one of `entry`, which is a flat copy. */
static void
round_time (Simpler *simpler, TimelineEntry *entry, gint64 *field)
{
  g_autoptr (GArray) times = shrink_time (*field);
  gint64 us = *field;

  for (guint i = 0; i < times->len && us != PHRASE_EVER; i++)
    {
      *field = g_array_index (times, gint64, i);
      take_entry (simpler, entry);
    }
  *field = us;
}

static void
lower_number (Simpler *simpler, TimelineEntry *entry, guint64 *field)
{
  g_autoptr (GArray) numbers = shrink_number (*field, 1);
  guint64 number = *field;

  for (guint i = 0; i < numbers->len; i++)
    {
      *field = g_array_index (numbers, guint64, i);
      take_entry (simpler, entry);
    }
  *field = number;
}

static void
simplify_trigger (Simpler *simpler, TimelineEntry entry)
{
  gint64 plus_us = entry.trigger.plus_us;

  if (plus_us > 0)
    {
      entry.trigger.plus_us = 0;
      take_entry (simpler, &entry);
      entry.trigger.plus_us = plus_us;
    }
  round_time (simpler, &entry, &entry.trigger.plus_us);
  round_time (simpler, &entry, &entry.trigger.at_us);
  lower_number (simpler, &entry, &entry.trigger.confirmed);
}

/* What a fault may be instead, if that is enough. */
static const struct
{
  FaultKind kind;
  FaultKind simpler;
} simpler_kinds[] = {
  { FAULT_SUFFIX_LOSS, FAULT_CRASH }, { FAULT_NODE_DOWN, FAULT_CRASH },
  { FAULT_HANDLE_LOST, FAULT_CRASH }, { FAULT_STOP, FAULT_CRASH },
  { FAULT_GHOST, FAULT_CRASH },       { FAULT_DAEMON_STOP, FAULT_CRASH },
  { FAULT_SILENCE, FAULT_TEAR },      { FAULT_CLOSE, FAULT_TEAR },
  { FAULT_HANG, FAULT_PAUSE },
};

static void
simplify_kind (Simpler *simpler, TimelineEntry entry)
{
  FaultKind kind = entry.fault.kind;

  for (guint i = 0; i < G_N_ELEMENTS (simpler_kinds); i++)
    if (simpler_kinds[i].kind == kind)
      {
        entry.fault.kind = simpler_kinds[i].simpler;
        take_entry (simpler, &entry);
      }
}

/* A part that is one member: it is the one that is isolated. */
static void
isolate_one (Simpler *simpler, TimelineEntry entry, const GArray *parts)
{
  for (guint i = 0; i < parts->len; i++)
    {
      guint n_others = 0;

      for (guint j = 0; j < parts->len; j++)
        n_others += g_array_index (parts, guint, j) != g_array_index (parts, guint, i);
      if (n_others + 1 != parts->len)
        continue;
      entry.fault.kind = FAULT_ISOLATE;
      entry.fault.values.member = (gint) i;
      entry.fault.values.parts = NULL;
      take_entry (simpler, &entry);
    }
}

/* Two parts become one. */
static void
merge_parts (Simpler *simpler, TimelineEntry entry, const GArray *parts, guint n_parts)
{
  for (guint from = n_parts - 1; from > 0 && n_parts > 2; from--)
    for (guint to = 0; to < from; to++)
      {
        g_autoptr (GArray) merged = g_array_copy ((GArray *) parts);

        for (guint i = 0; i < merged->len; i++)
          if (g_array_index (merged, guint, i) == from)
            g_array_index (merged, guint, i) = to;
        renumber_parts (merged);
        entry.fault.values.parts = merged;
        take_entry (simpler, &entry);
      }
}

static void
simplify_parts (Simpler *simpler, TimelineEntry entry, guint n_members)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_parts = 0;

  if (entry.fault.kind != FAULT_PARTITION)
    return;
  for (guint i = 0; i < n_members; i++)
    {
      guint part = phrase_part_of (&entry.fault.values, i);

      g_array_append_val (parts, part);
    }
  if (!renumber_parts (parts))
    return;
  for (guint i = 0; i < n_members; i++)
    n_parts = MAX (n_parts, g_array_index (parts, guint, i) + 1);
  if (n_parts == 2)
    isolate_one (simpler, entry, parts);
  merge_parts (simpler, entry, parts, n_parts);
}

GPtrArray *
shrink_timeline_simplify (const Timeline *timeline, guint index, guint n_members)
{
  Simpler simpler = { timeline, index, NULL };
  TimelineEntry entry = *timeline_peek (timeline, index);

  simpler.timelines = g_ptr_array_new_with_free_func ((GDestroyNotify) timeline_free);
  simplify_kind (&simpler, entry);
  simplify_parts (&simpler, entry, n_members);
  simplify_trigger (&simpler, entry);
  round_time (&simpler, &entry, &entry.fault.values.duration_us);
  round_time (&simpler, &entry, &entry.fault.values.time_us);
  lower_number (&simpler, &entry, &entry.fault.values.count);
  return simpler.timelines;
}
