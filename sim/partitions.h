/* SPDX-License-Identifier: MIT */
/* Bad luck of the network: nodes that are cut off from each other and meet again, once or in quick
 * succession, and members that are not scheduled for a while. Like faults.h, it strikes at shares
 * of the messages. When the work ends all are together again. */
#pragma once

#include "sim/world.h"

typedef struct Partitions Partitions;

Partitions *partitions_new (World *world);
void partitions_free (Partitions *partitions);
/* So many messages were confirmed: what is due is put on the clock. */
void partitions_progress (Partitions *partitions);
/* What was put on the clock (CLOCK_NETWORK). */
void partitions_act (Partitions *partitions, gpointer take_action);
void partitions_drop_action (gpointer action);
/* A member's process has ended: it is not paused any more. */
void partitions_member_gone (Partitions *partitions, guint member);
/* All hear each other, nobody is paused. */
void partitions_end (Partitions *partitions);

/* All hear each other and nobody is paused, for so long. */
gboolean partitions_are_over (const Partitions *partitions, gint64 for_us);
/* Nobody is paused, and nothing has changed for so long. */
gboolean partitions_none_paused (const Partitions *partitions, gint64 for_us);
/* That member is not paused, and hears a majority of the voters that are neither. */
gboolean partitions_hears_majority (const Partitions *partitions, guint member);
/* And one of them is active, or they can form: a majority of them holds a state, or all are there.
 */
gboolean partitions_may_serve (const Partitions *partitions, guint member);
