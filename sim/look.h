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
/* At the end: what clients have published, against what came to the queues of that member. */
void look_at_published (World *world, SimMember *member);
