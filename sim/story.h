/* SPDX-License-Identifier: MIT */
/* The story of a run, for people: what they would tell each other of it. Who was told which view,
 * who became what, what went wrong, how far the clients were; not a word of single messages.
 *
 *   118ms the work begins
 *   132ms crash B
 *   133ms C A > view {A C}, lost B
 *
 * It is made of trace points; lines that several members have in common one after another are
 * one. */
#pragma once

#include "sim/world.h"

typedef struct Story Story;

/* Also passes all on to `next`, if that is not NULL. Both are borrowed. */
Story *story_new (const World *world, Trace *next);
void story_free (Story *story);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Story, story_free)
/* For world_set_trace. Lives as long as the story. */
Trace *story_trace (Story *story);
/* Once, when the run is over: all lines, each with its end, the verdict last; past twice
 * LIMIT_STORY_LINES, the middle is left out. Yours. */
char *story_text (Story *story);

/* "view {A B}, lost C": what a member is told. Yours. */
char *story_view (const View *view);
