/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/scenario_arguments.h"
#include "sim/shrink_runs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between two lines of progress, on a terminal and elsewhere. */
#define PROGRESS_TERMINAL_US (G_USEC_PER_SEC / 4)
#define PROGRESS_US          (10 * G_USEC_PER_SEC)
/* Runs that may be ahead of one that takes its time. */
#define AHEAD_MAX 10000
/* Kinds of failures that are saved. */
#define SAVED_MAX 20
/* For each of them. */
#define SHRINK_TIME_US (60 * G_USEC_PER_SEC)

/* One scenario with its seeds. */
typedef struct SweepFamily
{
  Scenario *scenario;
  SimOptions base; /* as its file has them */
  guint64 first_job;
  guint64 n_jobs;
} SweepFamily;

typedef struct SweepSettings
{
  ScenarioArguments what;
  SweepRange members; /* low 0: as the scenarios say */
  RunLimits limits;
  const char *save; /* a folder; NULL: nowhere */
  gboolean no_shrink;
  GArray *families; /* of SweepFamily */
} SweepSettings;

typedef struct Sweeping
{
  const SweepSettings *settings;
  Workers *workers;
  Sweep *sweep;
  guint64 n_jobs;
  guint64 n_started;
  guint64 n_told;   /* to the sweep, in order */
  GPtrArray *early; /* SweepAnswer of the jobs from n_told on; NULL: not there yet */
  gint64 began_us;
  gint64 progress_us;
} Sweeping;

/* --- which run is which ---------------------------------------------------------------------- */

static const SweepFamily *
family_of_job (const SweepSettings *settings, guint64 job)
{
  guint i = 0;

  while (job >= g_array_index (settings->families, SweepFamily, i).first_job
                    + g_array_index (settings->families, SweepFamily, i).n_jobs)
    i++;
  return &g_array_index (settings->families, SweepFamily, i);
}

static SimOptions
options_of_job (const SweepSettings *settings, guint64 job)
{
  const SweepFamily *family = family_of_job (settings, job);
  SimOptions options = family->scenario->options;

  options.seed = options.last_seed = options.seed + (job - family->first_job);
  if (settings->members.low > 0)
    options.members = sweep_draw (settings->members, options.seed);
  return options;
}

static void
work (guint64 job, gpointer answer, gpointer user_data)
{
  SimOptions options = options_of_job (user_data, job);

  sweep_run (&options, answer);
}

/* --- progress --------------------------------------------------------------------------------- */

static void
print_progress (Sweeping *sweeping)
{
  gint64 now_us = workers_now_us ();
  gint64 took_us = MAX (now_us - sweeping->began_us, 1);
  guint64 rate = sweeping->n_told * G_USEC_PER_SEC / (guint64) took_us;
  guint64 left = sweeping->n_jobs - sweeping->n_told;
  guint64 failed = sweep_failed (sweeping->sweep);
  gboolean terminal = workers_on_terminal ();

  if (now_us < sweeping->progress_us)
    return;
  sweeping->progress_us = now_us + (terminal ? PROGRESS_TERMINAL_US : PROGRESS_US);
  fprintf (stderr,
           "%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs, %" G_GUINT64_FORMAT
           " a second, %" G_GUINT64_FORMAT " seconds left, %" G_GUINT64_FORMAT " failed%s",
           terminal ? "\r" : "", sweeping->n_told, sweeping->n_jobs, rate,
           rate == 0 ? 0 : left / rate, failed, terminal ? "\033[K" : "\n");
}

static void
end_progress (void)
{
  if (workers_on_terminal ())
    fprintf (stderr, "\r\033[K");
}

/* --- answers ---------------------------------------------------------------------------------- */

static void
keep_answer (Sweeping *sweeping, const WorkResult *result)
{
  guint place = (guint) (result->job - sweeping->n_told);
  SweepAnswer *answer = g_new0 (SweepAnswer, 1);

  sweep_answer_of (result, answer);
  if (sweeping->early->len <= place)
    g_ptr_array_set_size (sweeping->early, (gint) place + 1);
  sweeping->early->pdata[place] = answer;
}

/* The first of its kind is told at once: a sweep may take hours. */
static void
tell (Sweeping *sweeping, guint64 job, const SweepAnswer *answer)
{
  const SweepFamily *family = family_of_job (sweeping->settings, job);
  SimOptions options = options_of_job (sweeping->settings, job);
  g_autofree char *command = command_again (family->scenario, &family->base, &options);
  const SweepFailure *failure = sweep_add (sweeping->sweep, job, answer, command);

  if (failure == NULL || failure->n > 1)
    return;
  end_progress ();
  fprintf (stderr, "%s of %s: %s\n", verdict_name (failure->verdict), failure->rule, command);
}

/* In their order, up to the first that is still to come; `all`: those behind it too. */
static void
tell_answers (Sweeping *sweeping, gboolean all)
{
  guint n = 0;

  while (n < sweeping->early->len && (all || sweeping->early->pdata[n] != NULL))
    {
      if (sweeping->early->pdata[n] != NULL)
        tell (sweeping, sweeping->n_told + n, sweeping->early->pdata[n]);
      n++;
    }
  sweeping->n_told += n;
  if (n > 0)
    g_ptr_array_remove_range (sweeping->early, 0, n);
}

/* --- the sweep -------------------------------------------------------------------------------- */

static gboolean
may_start (const Sweeping *sweeping)
{
  const SweepSettings *settings = sweeping->settings;

  if (sweeping->n_started == sweeping->n_jobs || workers_interrupted ())
    return FALSE;
  return settings->limits.time_us == 0
         || workers_now_us () - sweeping->began_us < settings->limits.time_us;
}

static gboolean
sweep_all (Sweeping *sweeping, GError **error)
{
  WorkResult result;

  while (may_start (sweeping) || workers_busy (sweeping->workers) > 0)
    {
      if (may_start (sweeping) && workers_have_room (sweeping->workers)
          && sweeping->n_started - sweeping->n_told < AHEAD_MAX)
        {
          if (!workers_start (sweeping->workers, sweeping->n_started, error))
            return FALSE;
          sweeping->n_started++;
          continue;
        }
      if (workers_interrupted ())
        break;
      if (workers_next (sweeping->workers, PROGRESS_TERMINAL_US, &result))
        keep_answer (sweeping, &result);
      tell_answers (sweeping, FALSE);
      print_progress (sweeping);
    }
  tell_answers (sweeping, TRUE);
  return TRUE;
}

static void
print_end (const Sweeping *sweeping)
{
  g_autofree char *table = sweep_table (sweeping->sweep);
  gint64 took_ms = (workers_now_us () - sweeping->began_us) / 1000;

  printf ("%s", table);
  if (sweeping->sweep->runs < sweeping->n_jobs)
    printf ("stopped: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " runs are missing\n",
            sweeping->n_jobs - sweeping->sweep->runs, sweeping->n_jobs);
  fprintf (stderr, "%" G_GINT64_FORMAT ".%01us, %" G_GINT64_FORMAT " runs a second\n",
           took_ms / 1000, (guint) (took_ms % 1000 / 100),
           (gint64) sweeping->sweep->runs * 1000 / MAX (took_ms, 1));
}

/* --- what failed, as scenarios ------------------------------------------------------------------
 */

/* "DIRECTORY/RULE-[SCENARIO-]SEED": what is saved of a failure begins so. Yours. */
static char *
stem_of (const SweepSettings *settings, const SweepFailure *failure, const Scenario *scenario)
{
  g_autofree char *file = scenario->path == NULL ? NULL : g_path_get_basename (scenario->path);
  g_autofree char *name = NULL;

  if (file != NULL && g_str_has_suffix (file, ".scenario"))
    file[strlen (file) - strlen (".scenario")] = '\0';
  name = g_strdup_printf ("%s-%s%s%" G_GUINT64_FORMAT, failure->rule, file == NULL ? "" : file,
                          file == NULL ? "" : "-", scenario->options.seed);
  return g_build_filename (settings->save, name, NULL);
}

static gboolean
save_scenario (const SweepSettings *settings, Scenario *scenario, const char *stem,
               const char *suffix, GError **error)
{
  g_autofree char *path = g_strconcat (stem, suffix, NULL);
  g_autofree char *size = shrink_size_text (scenario);

  if (!sweep_expect (scenario, settings->limits.run_time_us, error)
      || !scenario_write (scenario, path, error))
    return FALSE;
  printf ("  saved         %s: %s\n", path, size);
  fflush (stdout);
  return TRUE;
}

static gboolean
save_failure (const SweepSettings *settings, const SweepFailure *failure, GError **error)
{
  g_autoptr (Scenario) scenario
      = scenario_copy (family_of_job (settings, failure->number)->scenario);
  g_autoptr (Scenario) small = NULL;
  g_autofree char *stem = NULL;
  RunLimits limits = settings->limits;
  SweepAnswer answer;

  scenario->options = options_of_job (settings, failure->number);
  scenario->options.timeline = scenario->timeline;
  stem = stem_of (settings, failure, scenario);
  if (!sweep_make_explicit (scenario, limits.run_time_us, &answer, error)
      || !save_scenario (settings, scenario, stem, ".scenario", error))
    return FALSE;
  /* What takes too long takes too long to be tried again and again. */
  if (settings->no_shrink || g_str_equal (failure->rule, SWEEP_RULE_TOO_LONG))
    return TRUE;
  limits.time_us = SHRINK_TIME_US;
  small = shrink_runs (scenario, &answer, &limits);
  return save_scenario (settings, small, stem, "-small.scenario", error);
}

static gboolean
save_failures (const Sweeping *sweeping, GError **error)
{
  const GPtrArray *failures = sweeping->sweep->failures;

  if (failures->len > 0 && g_mkdir_with_parents (sweeping->settings->save, 0777) != 0)
    return system_error (error, SYSTEM_ERROR_REFUSED, "'%s' cannot be made a folder: %s",
                         sweeping->settings->save, g_strerror (errno));
  for (guint i = 0; i < MIN (failures->len, SAVED_MAX) && !workers_interrupted (); i++)
    if (!save_failure (sweeping->settings, g_ptr_array_index (failures, i), error))
      return FALSE;
  return TRUE;
}

/* --- all of it -------------------------------------------------------------------------------- */

static int
sweep (const SweepSettings *settings, guint64 n_jobs)
{
  g_autoptr (Workers) workers
      = workers_new (settings->limits.n_workers, settings->limits.run_time_us, work,
                     sizeof (SweepAnswer), (gpointer) settings);
  g_autoptr (Sweep) table = sweep_new ();
  g_autoptr (GPtrArray) early = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Sweeping sweeping
      = { .settings = settings, .workers = workers, .sweep = table, .n_jobs = n_jobs };

  sweeping.early = early;
  sweeping.began_us = workers_now_us ();
  sweeping.progress_us
      = sweeping.began_us + (workers_on_terminal () ? PROGRESS_TERMINAL_US : PROGRESS_US);
  workers_catch_signals ();
  if (!sweep_all (&sweeping, &error))
    return command_mistake (error);
  end_progress ();
  print_end (&sweeping);
  fflush (stdout);
  if (settings->save != NULL && !save_failures (&sweeping, &error))
    return command_mistake (error);
  return (int) sweep_verdict (table);
}

/* --- what is asked for ------------------------------------------------------------------------ */

/* A range of sizes; one size is an option of each run. */
static gboolean
take_members (SweepSettings *settings, Arguments *arguments, gboolean *ret_taken, GError **error)
{
  *ret_taken = arguments->left > 0 && strstr (*arguments->next, "..") != NULL;
  return !*ret_taken
         || arguments_range (arguments, "--members", 1, SIM_MEMBERS_MAX, &settings->members.low,
                             &settings->members.high, error);
}

/* FALSE without an error: it is none of these. */
static gboolean
take_own (SweepSettings *settings, Arguments *arguments, const char *word, GError **error)
{
  gboolean taken = FALSE;

  if (strcmp (word, "--members") == 0)
    return take_members (settings, arguments, &taken, error) && taken;
  if (strcmp (word, "--save") == 0)
    return arguments_word (arguments, word, "the name of a folder", &settings->save, error);
  if (strcmp (word, "--no-shrink") == 0)
    settings->no_shrink = TRUE;
  return settings->no_shrink && strcmp (word, "--no-shrink") == 0;
}

static gboolean
take_word (SweepSettings *settings, Arguments *arguments, const char *word, GError **error)
{
  g_autoptr (GError) mistake = NULL;
  const char *name = strcmp (word, "--seeds") == 0 ? "--seed" : word;

  if (take_own (settings, arguments, word, &mistake)
      || (mistake == NULL && run_limits_take (&settings->limits, arguments, word, &mistake))
      || (mistake == NULL && scenario_arguments_take (&settings->what, arguments, name, &mistake)))
    return TRUE;
  if (mistake != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&mistake));
      return FALSE;
    }
  return arguments_unknown ("sweep", word, error);
}

static gboolean
add_family (SweepSettings *settings, Scenario *take_scenario, guint64 *n_jobs, GError **error)
{
  SweepFamily family = { take_scenario, take_scenario->options, *n_jobs, 0 };
  gboolean good;

  if (settings->members.low > 0)
    take_scenario->options.members = (guint) settings->members.high;
  good = scenario_arguments_apply (&settings->what, take_scenario, error);
  family.n_jobs = take_scenario->options.last_seed - take_scenario->options.seed + 1;
  *n_jobs += family.n_jobs;
  g_array_append_val (settings->families, family);
  return good;
}

static int
sweep_scenarios (SweepSettings *settings)
{
  g_autoptr (GError) error = NULL;
  guint64 n_jobs = 0;

  for (guint i = 0; i < MAX (settings->what.files->len, 1); i++)
    {
      Scenario *scenario = settings->what.files->len == 0
                               ? scenario_new ()
                               : command_read_scenario (settings->what.files->pdata[i]);

      if (scenario == NULL)
        return EXIT_USAGE;
      if (scenario->path == NULL)
        scenario->options.last_seed = 1000;
      if (!add_family (settings, scenario, &n_jobs, &error))
        return command_mistake (error);
    }
  return sweep (settings, n_jobs);
}

static void
family_clear (gpointer data)
{
  scenario_free (((SweepFamily *) data)->scenario);
}

static int
run (Arguments *arguments)
{
  g_auto (ScenarioArguments) what = scenario_arguments_init ();
  g_autoptr (GArray) families = g_array_new (FALSE, FALSE, sizeof (SweepFamily));
  SweepSettings settings = { .what = what, .families = families, .limits = run_limits_default () };
  g_autoptr (GError) error = NULL;

  g_array_set_clear_func (families, family_clear);
  while (arguments->left > 0)
    if (!take_word (&settings, arguments, arguments_next (arguments), &error))
      return command_mistake (error);
  return sweep_scenarios (&settings);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf ("Runs many seeds of each scenario, or of what the options say, each in a process of its\n"
          "own, and prints what they came to: sums, rare situations that none of them met, and of\n"
          "each rule that was broken the first run that did. A process that crashes is a\n"
          "violation, with its seed. What scenarios expect is not looked at.\n"
          "\n"
          "Options:\n"
          "  --seeds FROM..TO          the seeds (1..1000, or those of the scenario)\n"
          "  --members LOW..HIGH       sizes of the cluster, drawn for each seed\n"
          "  --jobs N                  runs at a time (one for each processor)\n"
          "  --time LIMIT              begin no run later than that: 90s, 10m, 2h\n"
          "  --run-time LIMIT          kill and report a run that takes longer (60s)\n"
          "  --save DIRECTORY          make a scenario there of the first failure of each kind,\n"
          "                            and another one of what is left of it once it is shrunk\n"
          "  --no-shrink               only the first of the two\n"
          "and those of a run:\n"
          "%s",
          options);
}

const Command command_sweep = {
  .name = "sweep",
  .arguments = "[SCENARIO...] [OPTION...]",
  .what = "many seeds on all processors, and a table of what they came to",
  .print_help = print_help,
  .run = run,
};
