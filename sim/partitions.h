/* SPDX-License-Identifier: MIT */
/* Who hears whom, and who is not scheduled: nodes that are cut off from each other and meet again,
 * members that are asleep (paused, or hung). */
#pragma once

#include "sim/member.h"
#include "sim/phrase.h"
#include "sim/world.h"

Partitions *partitions_new (World *world);
void partitions_free (Partitions *partitions);

/* The parts of `parts`, instead of those that were. */
void partitions_set (Partitions *partitions, const PhraseValues *parts);
/* Not all hear each other. */
gboolean partitions_are_parted (const Partitions *partitions);
/* FALSE: they were not. */
gboolean partitions_heal (Partitions *partitions);

/* Cuts that are no parts. */
typedef enum Deafness
{
  DEAF_NOT,
  DEAF_ONE_WAY,    /* the one does not hear the other */
  DEAF_BOTH_WAYS,  /* nor the other the one */
  DEAF_IN_A_CIRCLE /* each hears a majority around it, of four members or more */
} Deafness;

/* Instead of parts. FALSE: there are no such members. */
gboolean partitions_set_hearing (Partitions *partitions, Deafness deafness,
                                 const PhraseValues *values);
/* After a step: rings may have formed by themselves. */
void partitions_look (Partitions *partitions);
/* FALSE: it is asleep already, or it is not up; or it is awake. */
gboolean partitions_put_to_sleep (Partitions *partitions, guint member, MemberSleep sleep);
gboolean partitions_wake (Partitions *partitions, guint member);
/* For so long something else is slow. */
void partitions_disturb (Partitions *partitions, gint64 duration_us);
/* A member's process has ended: it is not asleep any more. */
void partitions_member_woken (Partitions *partitions);
/* All hear each other, unless they are parted for ever, and nobody is asleep. */
void partitions_end (Partitions *partitions);

/* All hear each other and nobody is asleep, for so long. */
gboolean partitions_are_over (const Partitions *partitions, gint64 now_us, gint64 for_us);
/* Nobody is asleep or slow, and nothing has changed for so long. */
gboolean partitions_none_paused (const Partitions *partitions, gint64 for_us);
/* That member is not asleep, and hears a majority of the voters that are neither. */
gboolean partitions_hears_majority (const Partitions *partitions, guint member);
/* It will never hear a majority. */
gboolean partitions_is_cut_off_for_ever (const Partitions *partitions, guint member);
/* And one of them is active, or they can form: a majority of them holds a state, or all are there.
 */
gboolean partitions_may_serve (const Partitions *partitions, guint member);
gboolean partitions_any_may_serve (const Partitions *partitions);
