/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/report.h"
#include "sim/trace_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How to run; SimOptions say what. */
typedef struct RunSettings
{
  SimOptions options;
  gboolean twice; /* the same again, and compare */
  gboolean verbose;
  const char *trace; /* a file, or "-"; NULL: none */
} RunSettings;

static gint64
now_of_world (gpointer user_data)
{
  return world_now_us (user_data);
}

static Verdict
run_again (const SimOptions *options, const Fingerprint *first)
{
  g_autoptr (World) world = world_new (options);
  char a[FINGERPRINT_TEXT_SIZE], b[FINGERPRINT_TEXT_SIZE];

  world_run (world);
  if (fingerprint_equal (&world->fingerprint, first))
    return VERDICT_PASS;
  printf ("the same seed gave another run: fingerprint %s, then %s\n", fingerprint_text (first, a),
          fingerprint_text (&world->fingerprint, b));
  return VERDICT_NON_DETERMINISM;
}

static int
run_world (const RunSettings *settings, FILE *trace_file)
{
  g_autoptr (World) world = world_new (&settings->options);
  TraceWriter writer;
  Verdict verdict, again;

  if (trace_file != NULL)
    {
      trace_writer_init (&writer, trace_file, now_of_world, world);
      world_set_trace (world, &writer.trace);
    }
  verdict = world_run (world);
  report_print (world, verdict, settings->verbose);
  if (!settings->twice)
    return (int) verdict;
  again = run_again (&settings->options, &world->fingerprint);
  return again == VERDICT_PASS ? (int) verdict : (int) again;
}

static int
open_trace_and_run (const RunSettings *settings)
{
  FILE *file;
  int status;

  if (settings->trace == NULL)
    return run_world (settings, NULL);
  if (strcmp (settings->trace, "-") == 0)
    return run_world (settings, stdout);
  file = fopen (settings->trace, "w");
  if (file == NULL)
    {
      fprintf (stderr, "consort-sim: cannot write the trace to '%s': %s\n", settings->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  status = run_world (settings, file);
  if (fclose (file) != 0)
    {
      fprintf (stderr, "consort-sim: the trace in '%s' is not complete: %s\n", settings->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  return status;
}

static gboolean
take_option (RunSettings *settings, Arguments *arguments, const char *option, GError **error)
{
  g_autoptr (GError) mistake = NULL;

  if (sim_options_take (&settings->options, arguments, option, &mistake))
    return TRUE;
  if (mistake != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&mistake));
      return FALSE;
    }
  if (strcmp (option, "--trace") == 0)
    return arguments_word (arguments, option, "the name of a file, or -", &settings->trace, error);
  if (strcmp (option, "--twice") == 0)
    settings->twice = TRUE;
  else if (strcmp (option, "--verbose") == 0)
    settings->verbose = TRUE;
  else
    return arguments_unknown ("run", option, error);
  return TRUE;
}

static int
run (Arguments *arguments)
{
  RunSettings settings = { .options = sim_options_default () };
  g_autoptr (GError) error = NULL;

  while (arguments->left > 0)
    if (!take_option (&settings, arguments, arguments_next (arguments), &error))
      return command_mistake (error);
  if (!sim_options_check (&settings.options, &error))
    return command_mistake (error);
  return open_trace_and_run (&settings);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf ("Options:\n%s", options);
  printf ("  --twice                   run twice and compare the fingerprints\n"
          "  --trace FILE              write what happens, a line each, to FILE, or - for output\n"
          "  --verbose                 count the situations that clients and faults came to\n");
}

const Command command_run = {
  .name = "run",
  .arguments = "[OPTION...]",
  .what = "one run, and the report of it",
  .print_help = print_help,
  .run = run,
};
