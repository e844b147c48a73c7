/* SPDX-License-Identifier: MIT */
/* Looks at a run: keeps its checkpoints, and lets its trace be heard in a range of events only. */
#pragma once

#include "sim/checkpoints.h"
#include "sim/world.h"

typedef struct Watch
{
  WorldWatch watch;
  EventRange range;
  Trace *trace;             /* NULL: none. Borrowed. */
  Checkpoints *checkpoints; /* NULL: none. Borrowed. */
} Watch;

/* Of a new world, for its life. checkpoints_end is the caller's, once it has run. */
void watch_begin (Watch *watch, World *world, EventRange range, Trace *trace,
                  Checkpoints *checkpoints);
