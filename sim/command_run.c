/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/report.h"
#include "sim/scenario_arguments.h"
#include "sim/scenario_play.h"
#include "sim/trace_writer.h"
#include "sim/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* How to run; scenarios and options say what. */
typedef struct RunSettings
{
  ScenarioArguments what;
  gboolean twice; /* the same again, and compare */
  gboolean verbose;
  gboolean explain;
  gboolean update;
  const char *trace;       /* a file, or "-"; NULL: none */
  const char *checkpoints; /* a file; NULL: none */
  EventRange events;       /* that both are of */
  const char *save;        /* a file; NULL: none */
} RunSettings;

/* What the runs of one scenario have besides. */
typedef struct RunWatch
{
  const RunSettings *settings;
  const Scenario *scenario;
  const SimOptions *base; /* as its file has them */
  FILE *trace_file;       /* NULL: none */
  TraceWriter writer;
  Watch watch;
  Checkpoints *checkpoints; /* NULL: none */
  Scenario *last;           /* the last run as one, to be saved; NULL: it is not */
  gboolean differed;        /* the same seed gave another run */
} RunWatch;

/* --- one run ---------------------------------------------------------------------------------- */

static gint64
now_of_world (gpointer user_data)
{
  return world_now_us (user_data);
}

/* Of many runs the last one's checkpoints stay. */
static Trace *
begin_run (World *world, gpointer user_data)
{
  RunWatch *watch = user_data;
  const RunSettings *settings = watch->settings;
  Trace *trace = NULL;

  g_clear_pointer (&watch->checkpoints, checkpoints_free);
  if (settings->checkpoints != NULL)
    {
      g_autofree char *command = command_again (watch->scenario, watch->base, world->options);

      watch->checkpoints = checkpoints_new (command, settings->events);
    }
  if (watch->trace_file != NULL)
    {
      trace_writer_init (&watch->writer, watch->trace_file, now_of_world, world);
      trace = &watch->writer.trace;
    }
  watch_begin (&watch->watch, world, settings->events, trace, watch->checkpoints);
  return trace;
}

static gboolean
write_checkpoints (const RunWatch *watch, GError **error)
{
  gsize length;
  const char *text;

  if (watch->checkpoints == NULL)
    return TRUE;
  checkpoints_end (watch->checkpoints);
  text = checkpoints_text (watch->checkpoints, &length);
  if (g_file_set_contents (watch->settings->checkpoints, text, (gssize) length, error))
    return TRUE;
  g_prefix_error (error, "cannot write the checkpoints: ");
  return FALSE;
}

static void
run_again (RunWatch *watch, const World *first)
{
  g_autoptr (World) world = world_new (first->options);
  char a[FINGERPRINT_TEXT_SIZE], b[FINGERPRINT_TEXT_SIZE];

  world_run (world);
  if (fingerprint_equal (&world->fingerprint, &first->fingerprint))
    return;
  printf ("the same seed gave another run: fingerprint %s, then %s\n",
          fingerprint_text (&first->fingerprint, a), fingerprint_text (&world->fingerprint, b));
  watch->differed = TRUE;
}

char *
command_again (const Scenario *scenario, const SimOptions *base, const SimOptions *options)
{
  g_autofree char *others = NULL;

  if (scenario->path == NULL)
    return sim_options_command (options);
  others = sim_options_text (options, base);
  return g_strdup_printf ("consort-sim run %s%s", scenario->path, others);
}

/* Of many seeds, those that went as they should are only counted. */
static void
end_run (const World *world, Verdict verdict, gpointer user_data)
{
  RunWatch *watch = user_data;
  const SimOptions *options = &watch->scenario->options;

  if (options->seed == options->last_seed || verdict != VERDICT_PASS)
    {
      g_autofree char *command = command_again (watch->scenario, watch->base, world->options);

      report_print (world, verdict, command, watch->settings->verbose);
    }
  if (watch->settings->twice)
    run_again (watch, world);
  if (watch->settings->save == NULL)
    return;
  g_clear_pointer (&watch->last, scenario_free);
  watch->last = scenario_of_run (world, verdict);
}

/* --- one scenario ----------------------------------------------------------------------------- */

static void
print_result (const Scenario *scenario, const ScenarioResult *result)
{
  if (scenario->options.seed != scenario->options.last_seed)
    printf ("%" G_GUINT64_FORMAT " seeds, %" G_GUINT64_FORMAT " passed\n", result->n_runs,
            result->n_passed);
  if (result->unmet != NULL)
    printf ("not as expected: %s\n", result->unmet);
  else if (scenario->expect.given)
    printf ("as expected\n");
}

static gboolean
save (const RunSettings *settings, Scenario *take_scenario, GError **error)
{
  g_autoptr (Scenario) scenario = take_scenario;

  return scenario == NULL || scenario_write (scenario, settings->save, error);
}

static int
play (const RunSettings *settings, const Scenario *scenario, const SimOptions *base,
      FILE *trace_file)
{
  RunWatch run_watch
      = { .settings = settings, .scenario = scenario, .base = base, .trace_file = trace_file };
  ScenarioWatch watch = {
    .begin = begin_run,
    .end = end_run,
    .user_data = &run_watch,
    .wants_story = settings->explain || settings->update,
  };
  g_auto (ScenarioResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean written;

  if (settings->what.files->len > 0)
    printf ("%s: %s\n", scenario->path, scenario->what == NULL ? "" : scenario->what);
  scenario_play (scenario, &watch, &result);
  written = write_checkpoints (&run_watch, &error);
  g_clear_pointer (&run_watch.checkpoints, checkpoints_free);
  if (!written)
    return command_mistake (error);
  if (settings->explain)
    printf ("%s", result.story);
  if (settings->update)
    {
      if (!scenario_update_story (scenario->path, result.story, &error))
        return command_mistake (error);
      return result.verdict == scenario->expect.verdict ? 0 : (int) result.verdict;
    }
  print_result (scenario, &result);
  if (!save (settings, run_watch.last, &error))
    return command_mistake (error);
  return run_watch.differed ? (int) VERDICT_NON_DETERMINISM
                            : scenario_result_status (scenario, &result);
}

static int
open_trace_and_play (const RunSettings *settings, const Scenario *scenario, const SimOptions *base)
{
  FILE *file;
  int status;

  if (settings->trace == NULL)
    return play (settings, scenario, base, NULL);
  if (strcmp (settings->trace, "-") == 0)
    return play (settings, scenario, base, stdout);
  file = fopen (settings->trace, "w");
  if (file == NULL)
    {
      fprintf (stderr, "consort-sim: cannot write the trace to '%s': %s\n", settings->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  status = play (settings, scenario, base, file);
  if (fclose (file) != 0)
    {
      fprintf (stderr, "consort-sim: the trace in '%s' is not complete: %s\n", settings->trace,
               g_strerror (errno));
      return EXIT_USAGE;
    }
  return status;
}

/* --- what is asked for ------------------------------------------------------------------------ */

static int
run_scenario (const RunSettings *settings, Scenario *scenario)
{
  SimOptions base = scenario->options;
  g_autoptr (GError) error = NULL;

  if (!scenario_arguments_apply (&settings->what, scenario, &error))
    return command_mistake (error);
  return open_trace_and_play (settings, scenario, &base);
}

/* All are run; the first that goes wrong says how the whole went. */
static int
run_files (const RunSettings *settings)
{
  int first = 0;

  for (guint i = 0; i < settings->what.files->len; i++)
    {
      g_autoptr (Scenario) scenario = command_read_scenario (settings->what.files->pdata[i]);
      int status = scenario == NULL ? EXIT_USAGE : run_scenario (settings, scenario);

      if (first == 0)
        first = status;
    }
  return first;
}

static gboolean
take_word (RunSettings *settings, Arguments *arguments, const char *word, GError **error)
{
  g_autoptr (GError) mistake = NULL;

  if (scenario_arguments_take (&settings->what, arguments, word, &mistake))
    return TRUE;
  if (mistake != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&mistake));
      return FALSE;
    }
  if (strcmp (word, "--trace") == 0)
    return arguments_word (arguments, word, "the name of a file, or -", &settings->trace, error);
  if (strcmp (word, "--checkpoints") == 0)
    return arguments_word (arguments, word, "the name of a file", &settings->checkpoints, error);
  if (strcmp (word, "--every") == 0)
    return arguments_number (arguments, word, 1, G_MAXUINT64, &settings->events.every, error);
  if (strcmp (word, "--events") == 0)
    return arguments_range (arguments, word, 1, G_MAXUINT64, &settings->events.first,
                            &settings->events.last, error);
  if (strcmp (word, "--save") == 0)
    return arguments_word (arguments, word, "the name of a file", &settings->save, error);
  if (strcmp (word, "--twice") == 0)
    settings->twice = TRUE;
  else if (strcmp (word, "--verbose") == 0)
    settings->verbose = TRUE;
  else if (strcmp (word, "--explain") == 0)
    settings->explain = TRUE;
  else if (strcmp (word, "--update") == 0)
    settings->update = TRUE;
  else
    return arguments_unknown ("run", word, error);
  return TRUE;
}

static int
run (Arguments *arguments)
{
  g_auto (ScenarioArguments) what = scenario_arguments_init ();
  g_autoptr (Scenario) scenario = scenario_new ();
  RunSettings settings = { .what = what, .events = EVENT_RANGE_ALL };
  g_autoptr (GError) error = NULL;

  while (arguments->left > 0)
    if (!take_word (&settings, arguments, arguments_next (arguments), &error))
      return command_mistake (error);
  if (settings.update && what.files->len == 0)
    system_error (&error, SYSTEM_ERROR_SETTING, "--update needs the files to be updated");
  if (error != NULL)
    return command_mistake (error);
  return what.files->len > 0 ? run_files (&settings) : run_scenario (&settings, scenario);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf ("Runs each scenario (consort-sim list keys), with what the options say instead; without\n"
          "one, what the options say. Exit status 0: as expected.\n\n"
          "Options:\n%s",
          options);
  printf ("  --twice                   run twice and compare the fingerprints\n"
          "  --trace FILE              write what happens, a line each, to FILE, or - for output\n"
          "  --checkpoints FILE        write fingerprints on the run's way to FILE, for diff\n"
          "  --every N                 one checkpoint for N events (default 1000)\n"
          "  --events FIRST..LAST      the trace and the checkpoints are of these events only\n"
          "  --save FILE               write it as a scenario: all that struck is its timeline\n"
          "  --verbose                 count the situations that clients and faults came to\n"
          "  --explain                 tell the story of the run\n"
          "  --update                  make its story the one that the scenario expects\n");
}

const Command command_run = {
  .name = "run",
  .arguments = "[SCENARIO...] [OPTION...]",
  .what = "one run, or those of scenarios, and the report of them",
  .print_help = print_help,
  .run = run,
};
