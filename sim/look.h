/* SPDX-License-Identifier: MIT */
/* Walks the whole state of an active member for the checkers of queues and sessions: it costs as
 * much as the state is large. */
#pragma once

#include "sim/member.h"

void look_at_queues_and_sessions (World *world, SimMember *member);
/* At the end: what clients have published, against what came to the queues of that member. */
void look_at_published (World *world, SimMember *member);
