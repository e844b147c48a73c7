/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/scenario_arguments.h"
#include "sim/shrink_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ShrinkSettings
{
  ScenarioArguments what;
  RunLimits limits;
  const char *output; /* a file; NULL: standard output */
} ShrinkSettings;

/* The first of its seeds that fails, with all that strikes in it. FALSE and no error: all pass. */
static gboolean
find_failure (Scenario *scenario, const RunLimits *limits, SweepAnswer *ret_answer, GError **error)
{
  guint64 last = scenario->options.last_seed;

  for (guint64 seed = scenario->options.seed; seed <= last; seed++)
    {
      scenario->options.seed = scenario->options.last_seed = seed;
      if (!sweep_make_explicit (scenario, limits->run_time_us, ret_answer, error))
        return FALSE;
      if (ret_answer->verdict != VERDICT_PASS)
        return TRUE;
    }
  return FALSE;
}

static int
write_small (const ShrinkSettings *settings, const Scenario *small)
{
  g_autofree char *text = scenario_text (small);
  g_autoptr (GError) error = NULL;

  if (settings->output == NULL)
    printf ("%s", text);
  else if (!scenario_write (small, settings->output, &error))
    return command_mistake (error);
  return EXIT_SUCCESS;
}

static int
shrink_scenario (const ShrinkSettings *settings, Scenario *scenario)
{
  g_autoptr (Scenario) small = NULL;
  g_autoptr (GError) error = NULL;
  SweepAnswer answer;

  if (!scenario_arguments_apply (&settings->what, scenario, &error))
    return command_mistake (error);
  if (!find_failure (scenario, &settings->limits, &answer, &error))
    {
      if (error == NULL)
        system_error (&error, SYSTEM_ERROR_REFUSED, "it passes: there is nothing to shrink");
      return command_mistake (error);
    }
  small = shrink_runs (scenario, &answer, &settings->limits);
  if (!sweep_expect (small, settings->limits.run_time_us, &error))
    return command_mistake (error);
  return write_small (settings, small);
}

/* --- what is asked for -------------------------------------------------------------------------
 */

static gboolean
take_word (ShrinkSettings *settings, Arguments *arguments, const char *word, GError **error)
{
  g_autoptr (GError) mistake = NULL;

  if (scenario_arguments_take (&settings->what, arguments, word, &mistake)
      || (mistake == NULL && run_limits_take (&settings->limits, arguments, word, &mistake)))
    return TRUE;
  if (mistake != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&mistake));
      return FALSE;
    }
  if (strcmp (word, "--output") == 0)
    return arguments_word (arguments, word, "the name of a file", &settings->output, error);
  return arguments_unknown ("shrink", word, error);
}

static int
run (Arguments *arguments)
{
  g_auto (ScenarioArguments) what = scenario_arguments_init ();
  ShrinkSettings settings = { .what = what, .limits = run_limits_default () };
  g_autoptr (Scenario) scenario = NULL;
  g_autoptr (GError) error = NULL;

  settings.limits.time_us = 60 * G_USEC_PER_SEC;
  settings.limits.run_time_us = 10 * G_USEC_PER_SEC;
  while (arguments->left > 0)
    if (!take_word (&settings, arguments, arguments_next (arguments), &error))
      return command_mistake (error);
  if (what.files->len > 1)
    {
      system_error (&error, SYSTEM_ERROR_SETTING, "shrink takes one scenario, not %u",
                    what.files->len);
      return command_mistake (error);
    }
  scenario = what.files->len == 0 ? scenario_new () : command_read_scenario (what.files->pdata[0]);
  if (scenario == NULL)
    return EXIT_USAGE;
  workers_catch_signals ();
  return shrink_scenario (&settings, scenario);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf ("Looks for the least that breaks the same rule as that run: the first of its seeds that\n"
          "fails. Fewer faults, members, clients and messages, rounder times, a plainer network.\n"
          "What struck in the run is said in the result, which does not draw any faults.\n"
          "\n"
          "Options:\n"
          "  --output FILE             where to write the scenario (standard output)\n"
          "  --jobs N                  runs at a time (one for each processor)\n"
          "  --time LIMIT              be content then with what there is (60s)\n"
          "  --run-time LIMIT          what takes longer to run is no candidate (10s)\n"
          "and those of a run:\n"
          "%s",
          options);
}

const Command command_shrink = {
  .name = "shrink",
  .arguments = "[SCENARIO] [OPTION...]",
  .what = "the least that fails in the same way, as a scenario",
  .print_help = print_help,
  .run = run,
};
