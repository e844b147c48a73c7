/* SPDX-License-Identifier: MIT */
#include "sim/watch.h"

static void
look (const Watch *watch, const World *world)
{
  Checkpoint now = {
    .event = world->event.number,
    .time_us = world->event.time_us,
    .fingerprint = world->fingerprint,
  };

  if (watch->checkpoints != NULL)
    checkpoints_look (watch->checkpoints, &now);
}

static void
set_silent (const Watch *watch, guint64 event)
{
  if (watch->trace != NULL)
    watch->trace->silent = event < watch->range.first || event > watch->range.last;
}

Verdict
watch_run (const Watch *watch, World *world)
{
  guint64 next = world->event.number + 1;

  g_assert (next == 1);
  world_set_trace (world, watch->trace);
  set_silent (watch, next);
  look (watch, world);
  while (!(watch->no_further && next > watch->range.last) && world_step (world))
    {
      look (watch, world);
      set_silent (watch, ++next);
    }
  if (watch->checkpoints != NULL)
    checkpoints_end (watch->checkpoints);
  return findings_verdict (world->findings);
}
