/* SPDX-License-Identifier: MIT */
/* Which member runs when.
 *
 * Members meet only through the order, and what is sent at some time is ordered no sooner than the
 * least ordering latency later. So whoever has no client may run behind the others by that long,
 * with the same meaning: nobody can have noticed. In a large cluster most members have none. They
 * run one after another, each through all that came meanwhile while its state is near the
 * processor.
 *
 *   near  has clients' connections, or the cluster is small: runs in stretches of the order so
 *         short that nothing which a stretch causes is due in it
 *   far   all others: run when the first thing that waits for one of them is nearly a least
 *         latency old; by itself when it is called, and all of them before anything that looks at
 *         what everybody has (a fault, a ring that forms, a phase that ends) */
#pragma once

#include "sim/world.h"

typedef struct Pace Pace;

Pace *pace_new (World *world);
void pace_free (Pace *pace);

/* When the group next has something to be done; G_MAXINT64: never. */
gint64 pace_next_us (Pace *pace);
/* After pace_next_us, which is not later: gives what is due its place in the order, and runs who is
 * to run, up to `horizon_us` or less far. Returns how far. */
gint64 pace_run (Pace *pace, gint64 horizon_us);
/* Time is `now_us`: nothing of the group is due before it. */
void pace_move_on (Pace *pace, gint64 now_us);
/* That member runs up to the present time. */
void pace_catch_up (Pace *pace, SimMember *member);
void pace_catch_up_all (Pace *pace);
/* Something changed that may be due for any member. */
void pace_look_again (Pace *pace);
/* From here on it has a client. */
void pace_met_client (Pace *pace, SimMember *member);
