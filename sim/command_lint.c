/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"

#include <stdio.h>
#include <stdlib.h>

static void
print_lines (const char *prefix, const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++)
    fprintf (stderr, "%s%s\n", prefix, (const char *) lines->pdata[i]);
}

Scenario *
command_read_scenario (const char *path)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  Scenario *scenario = scenario_read (path, mistakes, warnings);

  print_lines ("consort-sim: ", mistakes);
  print_lines ("consort-sim: warning: ", warnings);
  return scenario;
}

static int
lint (Arguments *arguments)
{
  g_autoptr (GError) error = NULL;
  const char *path;
  int status = EXIT_SUCCESS;

  if (!arguments_word (arguments, "lint", "the names of scenario files", &path, &error))
    return command_mistake (error);
  for (; path != NULL; path = arguments_next (arguments))
    {
      g_autoptr (Scenario) scenario = command_read_scenario (path);

      if (scenario == NULL)
        status = EXIT_USAGE;
    }
  return status;
}

static void
print_help (void)
{
  printf ("Tells all mistakes in scenarios, with line and column (exit status 2), and what cannot\n"
          "have been meant, such as a fault that can never strike.\n");
}

const Command command_lint = {
  .name = "lint",
  .arguments = "SCENARIO...",
  .what = "mistakes in scenarios",
  .print_help = print_help,
  .run = lint,
};
