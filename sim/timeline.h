/* SPDX-License-Identifier: MIT */
/* Timeline: what is to go wrong in a run, and when: triggers with faults, in order. A scenario has
 * one (`at 212ms = crash A`); and what struck in a run is one, too, that repeats it. */
#pragma once

#include "sim/fault.h"
#include "sim/trigger.h"

typedef struct TimelineEntry
{
  Trigger trigger;
  Fault fault;
} TimelineEntry;

typedef struct Timeline Timeline;

Timeline *timeline_new (void);
Timeline *timeline_copy (const Timeline *timeline);
void timeline_free (Timeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Timeline, timeline_free)

/* At the end. What both hold is taken. */
void timeline_add (Timeline *timeline, Trigger take_trigger, Fault take_fault);
void timeline_remove (Timeline *timeline, guint index);
guint timeline_length (const Timeline *timeline);
const TimelineEntry *timeline_peek (const Timeline *timeline, guint index);
/* The highest number of a member that it names; -1: none. */
gint timeline_highest_member (const Timeline *timeline);

/* Reads one entry, what stands on both sides of the `=`. FALSE: a keyfile_error. */
gboolean timeline_parse_entry (Timeline *timeline, Slice trigger, KeyfilePosition trigger_at,
                               Slice fault, KeyfilePosition fault_at, GError **error);
/* A line an entry: `TRIGGER = FAULT`. Yours. */
char *timeline_text (const Timeline *timeline);
