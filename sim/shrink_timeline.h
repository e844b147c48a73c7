/* SPDX-License-Identifier: MIT */
/* Simpler timelines: of one that makes a run fail, those that a person might rather have written.
 * Whether the run still fails is for others to see. */
#pragma once

#include "sim/timeline.h"

/* All that is returned is yours. An array is of Timelines, the simplest first. */

/* Only those entries; `kept` has guints, in order. */
Timeline *shrink_timeline_keep (const Timeline *timeline, const GArray *kept);
/* Only those of `n_members` members, who are called by their place in `kept` from here on. What was
 * about the others is left out. */
Timeline *shrink_timeline_members (const Timeline *timeline, const GArray *kept, guint n_members);
/* All that is at a time, at that share of it. */
Timeline *shrink_timeline_scale (const Timeline *timeline, guint64 share, guint64 of);

/* What ends a fault later becomes its duration. */
GPtrArray *shrink_timeline_fold (const Timeline *timeline);
/* What is at a time comes after some confirmed messages instead, fewer than `messages`, with the
 * same time between one and another: that survives changes of the code, times do not. */
GPtrArray *shrink_timeline_after (const Timeline *timeline, guint64 messages);
/* One thing of one entry is simpler: its time, its kind, its numbers, its parts. */
GPtrArray *shrink_timeline_simplify (const Timeline *timeline, guint index, guint n_members);
