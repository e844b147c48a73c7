/* SPDX-License-Identifier: MIT */
/* Who hears whom, and who is not scheduled: nodes that are cut off from each other and meet again,
 * members that are paused. */
#pragma once

#include "sim/phrase.h"
#include "sim/world.h"

Partitions *partitions_new (World *world);
void partitions_free (Partitions *partitions);

/* The parts of `parts`, instead of those that were. */
void partitions_set (Partitions *partitions, const PhraseValues *parts);
/* FALSE: nothing is partitioned. */
gboolean partitions_heal (Partitions *partitions);
/* FALSE: it is so already, or it is not up. */
gboolean partitions_pause (Partitions *partitions, guint member);
gboolean partitions_resume (Partitions *partitions, guint member);
/* A member's process has ended: it is not paused any more. */
void partitions_member_gone (Partitions *partitions, guint member);
/* All hear each other, unless they are parted for ever, and nobody is paused. */
void partitions_end (Partitions *partitions);

/* All hear each other and nobody is paused, for so long. */
gboolean partitions_are_over (const Partitions *partitions, gint64 now_us, gint64 for_us);
/* Nobody is paused, and nothing has changed for so long. */
gboolean partitions_none_paused (const Partitions *partitions, gint64 for_us);
/* That member is not paused, and hears a majority of the voters that are neither. */
gboolean partitions_hears_majority (const Partitions *partitions, guint member);
/* It will never hear a majority. */
gboolean partitions_is_cut_off_for_ever (const Partitions *partitions, guint member);
/* And one of them is active, or they can form: a majority of them holds a state, or all are there.
 */
gboolean partitions_may_serve (const Partitions *partitions, guint member);
