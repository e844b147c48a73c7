/* SPDX-License-Identifier: MIT */
#include "sim/watch.h"

static void
watch_look (WorldWatch *world_watch, const World *world)
{
  Watch *watch = (Watch *) world_watch;
  guint64 next = world->event.number + 1;

  if (watch->trace != NULL)
    watch->trace->silent = next < watch->range.first || next > watch->range.last;
  if (watch->checkpoints != NULL)
    {
      Checkpoint now = {
        .event = world->event.number,
        .time_us = world->event.time_us,
        .fingerprint = world->fingerprint,
      };

      checkpoints_look (watch->checkpoints, &now);
    }
}

void
watch_begin (Watch *watch, World *world, EventRange range, Trace *trace, Checkpoints *checkpoints)
{
  *watch = (Watch){
    .watch.look = watch_look,
    .range = range,
    /* What is not heard is not formatted: so at the source. */
    .trace = trace == NULL ? NULL : world->trace,
    .checkpoints = checkpoints,
  };
  world_set_watch (world, &watch->watch);
}
