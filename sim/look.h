/* SPDX-License-Identifier: MIT */
/* Looks into members for the checkers. */
#pragma once

#include "sim/member.h"

/* It ends now: what it takes along. */
void look_at_crash (World *world, SimMember *member);
/* What it takes for agreed, and what it holds: after each turn of an active member. */
void look_at_majority (World *world, SimMember *member);
/* Whatever its state. */
void look_at_load (World *world, SimMember *member);
/* Walks the whole state of an active member for the checkers of queues and sessions: it costs as
 * much as the state is large. */
void look_at_queues_and_sessions (World *world, SimMember *member);
/* Has anybody missed a message of its epoch? */
void look_at_gaps (World *world);
/* All is whole again and at rest; `first` is one of those that are to be there. */
void look_at_end (World *world, SimMember *first);
