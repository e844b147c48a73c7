/* SPDX-License-Identifier: MIT */
/* The phases of a run. */
#pragma once

#include <glib.h>

typedef enum WorldPhase
{
  PHASE_SETUP,  /* members start, the steward declares queues */
  PHASE_WORK,   /* clients work, faults strike */
  PHASE_DRAIN,  /* nothing new is published, all members are back, queues run empty */
  PHASE_SETTLE, /* clients have closed, members come to rest */
  PHASE_OVER
} WorldPhase;

/* By phase. */
extern const char *const phase_names[];
extern const guint n_phase_names;
