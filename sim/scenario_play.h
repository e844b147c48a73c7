/* SPDX-License-Identifier: MIT */
/* Runs a scenario, with each of its seeds, and says whether it went as expected:
 *
 *   - who expects to pass does with every seed, and each situation is met with some seed;
 *   - who expects something else looks for it: with the first seed that does so, and has met all
 *     situations, it is over. */
#pragma once

#include "sim/scenario.h"
#include "sim/world.h"

/* What happens to each run besides. Members may be NULL. */
typedef struct ScenarioWatch
{
  /* Another trace, for world_set_trace. */
  Trace *(*begin) (World *world, gpointer user_data);
  void (*end) (const World *world, Verdict verdict, gpointer user_data);
  gpointer user_data;
  gboolean wants_story;
} ScenarioWatch;

typedef struct ScenarioResult
{
  guint64 n_runs;
  guint64 n_passed;
  Verdict verdict;           /* of the run that decided */
  guint64 seed;              /* its seed */
  char *finding;             /* the first of it; NULL: none */
  guint64 reached[N_PROBES]; /* in all runs */
  char *story;               /* of it; NULL: nobody asked */
  char *unmet;               /* what was expected and is not so; NULL: all is */
} ScenarioResult;

/* `watch`: NULL for none. */
void scenario_play (const Scenario *scenario, const ScenarioWatch *watch,
                    ScenarioResult *ret_result);
void scenario_result_clear (ScenarioResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScenarioResult, scenario_result_clear)
/* 0: as expected, or the run passed and nothing is expected; else that of the verdict, or 1 where
 * something else than a pass was expected. */
int scenario_result_status (const Scenario *scenario, const ScenarioResult *result);
/* Of a run that is over: all that struck is its timeline, nothing is drawn, and what came of it is
 * expected. Yours. */
Scenario *scenario_of_run (const World *world, Verdict verdict);
/* The first lines that are not the same in both, for people. Yours. */
char *story_difference (const char *expected, const char *got);
