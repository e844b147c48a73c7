/* SPDX-License-Identifier: MIT */
/* A run that is looked at: its checkpoints are kept, and its trace is heard in a range of events.
 */
#pragma once

#include "sim/checkpoints.h"
#include "sim/world.h"

typedef struct Watch
{
  EventRange range;
  Trace *trace;             /* heard in the range; NULL: none. Borrowed. */
  Checkpoints *checkpoints; /* NULL: none. Borrowed. */
  gboolean no_further;      /* the run need not go on behind the range */
} Watch;

/* Of a new world. To the end, to the first finding, or to the end of the range. */
Verdict watch_run (const Watch *watch, World *world);
