/* SPDX-License-Identifier: MIT */
#include "sim/shrink_runs.h"

#include <stdio.h>

typedef struct ShrinkRuns
{
  const SweepAnswer *wanted;
  const RunLimits *limits;
  GPtrArray *scenarios;  /* borrowed: those that are asked for now */
  gint64 virtual_us_max; /* of a candidate: one that goes on for longer is another story */
  gint64 began_us;
  guint64 n_runs;
} ShrinkRuns;

static void
work (guint64 job, gpointer answer, gpointer user_data)
{
  const ShrinkRuns *runs = user_data;
  const Scenario *scenario = g_ptr_array_index (runs->scenarios, job);

  sweep_run_for (&scenario->options, runs->virtual_us_max, answer);
}

static gboolean
time_is_over (const ShrinkRuns *runs)
{
  return workers_interrupted ()
         || (runs->limits->time_us > 0
             && workers_now_us () - runs->began_us > runs->limits->time_us);
}

static gboolean
fails_alike (const ShrinkRuns *runs, const WorkResult *result)
{
  SweepAnswer answer;

  sweep_answer_of (result, &answer);
  return sweep_answer_alike (&answer, runs->wanted);
}

/* The first that fails is waited for with all before it, so that nothing depends on how many run
 * at a time. */
static guint
test (GPtrArray *scenarios, gpointer user_data)
{
  ShrinkRuns *runs = user_data;
  g_autoptr (Workers) workers = workers_new (runs->limits->n_workers, runs->limits->run_time_us,
                                             work, sizeof (SweepAnswer), runs);
  guint first = scenarios->len;
  guint n_started = 0;
  WorkResult result;

  runs->scenarios = scenarios;
  while (!time_is_over (runs) && (n_started < first || workers_busy (workers) > 0))
    {
      if (n_started < first && workers_have_room (workers)
          && workers_start (workers, n_started, NULL))
        {
          n_started++;
          continue;
        }
      if (!workers_next (workers, G_USEC_PER_SEC / 4, &result))
        continue;
      runs->n_runs++;
      if (!fails_alike (runs, &result))
        continue;
      first = (guint) result.job;
      workers_drop_above (workers, first);
    }
  return first;
}

static void
tell_step (const Scenario *scenario, const char *step, gpointer user_data)
{
  const ShrinkRuns *runs = user_data;
  g_autofree char *size = shrink_size_text (scenario);
  gint64 ms = (workers_now_us () - runs->began_us) / 1000;

  fprintf (stderr, "%4" G_GINT64_FORMAT ".%01us %6" G_GUINT64_FORMAT " runs, %-18s %s\n", ms / 1000,
           (guint) (ms % 1000 / 100), runs->n_runs, step, size);
}

Scenario *
shrink_runs (const Scenario *failing, const SweepAnswer *answer, const RunLimits *limits)
{
  ShrinkRuns runs = { .wanted = answer, .limits = limits, .began_us = workers_now_us () };
  const ShrinkTester tester = { test, tell_step, &runs };
  Scenario *small;

  runs.virtual_us_max
      = answer->virtual_us == 0 ? G_MAXINT64 : 2 * answer->virtual_us + G_USEC_PER_SEC;
  tell_step (failing, "to begin with", &runs);
  small = shrink (failing, &tester);
  tell_step (small, time_is_over (&runs) ? "time is over" : "no simpler one", &runs);
  return small;
}
