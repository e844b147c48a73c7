/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/scenario_play.h"

#include <stdio.h>

static int
replay_scenario (const Scenario *scenario)
{
  g_auto (ScenarioResult) result = { 0 };

  scenario_play (scenario, NULL, &result);
  if (result.unmet != NULL)
    printf ("%s: not as before: %s\n", scenario->path, result.unmet);
  else if (scenario->expect.given && result.finding != NULL)
    printf ("%s: as before: %s\n", scenario->path, result.finding);
  else
    printf ("%s: %s%s%s\n", scenario->path, verdict_name (result.verdict),
            result.finding == NULL ? "" : ": ", result.finding == NULL ? "" : result.finding);
  return scenario_result_status (scenario, &result);
}

static int
replay (Arguments *arguments)
{
  g_autoptr (GError) error = NULL;
  const char *path;
  int first = 0;

  if (!arguments_word (arguments, "replay", "the names of scenario files", &path, &error))
    return command_mistake (error);
  for (; path != NULL; path = arguments_next (arguments))
    {
      g_autoptr (Scenario) scenario = command_read_scenario (path);
      int status = scenario == NULL ? EXIT_USAGE : replay_scenario (scenario);

      if (first == 0)
        first = status;
    }
  return first;
}

static void
print_help (void)
{
  printf ("Says in a line for each scenario whether it still goes as it expects: whether a rule\n"
          "that was broken still is, or what passed still does. Exit status 0: it does.\n");
}

const Command command_replay = {
  .name = "replay",
  .arguments = "SCENARIO...",
  .what = "whether scenarios still go as they expect, in a line each",
  .print_help = print_help,
  .run = replay,
};
