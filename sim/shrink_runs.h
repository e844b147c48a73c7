/* SPDX-License-Identifier: MIT */
/* The shrinker at work: candidates are run in processes, several at a time. */
#pragma once

#include "sim/shrink.h"
#include "sim/sweep_runs.h"

/* `failing` comes to `answer`. What it is called is told on standard error, with each step. Yours.
 */
Scenario *shrink_runs (const Scenario *failing, const SweepAnswer *answer, const RunLimits *limits);
