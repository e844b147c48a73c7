/* SPDX-License-Identifier: MIT */
/* Runs of scenarios in processes: what each came to, whatever way it ended, and what struck in it.
 */
#pragma once

#include "sim/scenario.h"
#include "sim/sweep.h"
#include "sim/sweep_workers.h"

typedef struct RunLimits
{
  guint n_workers;
  gint64 time_us;     /* of all runs together; 0: any */
  gint64 run_time_us; /* of one */
} RunLimits;

/* A run may take a minute, there is one for each processor, and all the time in the world. */
RunLimits run_limits_default (void);
/* --jobs, --time and --run-time. FALSE without an error: it is none of these. */
gboolean run_limits_take (RunLimits *limits, Arguments *arguments, const char *option,
                          GError **error);

/* What a process told, or that it did not. */
void sweep_answer_of (const WorkResult *result, SweepAnswer *ret_answer);

/* Runs it once. What struck in it becomes its timeline and nothing else is drawn, if that comes to
 * the same end: else, and if it passes, it is left as it was. FALSE: SYSTEM_ERROR_REFUSED, no
 * process or no patience. */
gboolean sweep_make_explicit (Scenario *scenario, gint64 run_time_us, SweepAnswer *ret_answer,
                              GError **error);
/* Runs it once, and it says from then on that this is what it comes to. FALSE likewise. */
gboolean sweep_expect (Scenario *scenario, gint64 run_time_us, GError **error);
