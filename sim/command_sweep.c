/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "sim/command.h"
#include "sim/option_keys.h"
#include "sim/sweep.h"
#include "sim/sweep_workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Between two lines of progress, on a terminal and elsewhere. */
#define PROGRESS_TERMINAL_US (G_USEC_PER_SEC / 4)
#define PROGRESS_US          (10 * G_USEC_PER_SEC)
/* Runs that may be ahead of one that takes its time. */
#define AHEAD_MAX 10000

typedef struct SweepSettings
{
  SimOptions options; /* seed to last_seed */
  SweepRange members; /* low 0: as the options say */
  guint n_workers;
  gint64 time_us;     /* no run begins later than that; 0: all do */
  gint64 run_time_us; /* that a run may take */
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

static SimOptions
options_of_job (const SweepSettings *settings, guint64 job)
{
  SimOptions options = settings->options;

  options.seed = options.last_seed = settings->options.seed + job;
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

  switch (result->end)
    {
    case WORK_DONE:
      memcpy (answer, result->answer, sizeof *answer);
      break;
    case WORK_CRASHED:
      sweep_answer_crashed (answer, result->reason);
      break;
    case WORK_TOO_LONG:
      sweep_answer_too_long (answer, result->reason);
      break;
    }
  if (sweeping->early->len <= place)
    g_ptr_array_set_size (sweeping->early, (gint) place + 1);
  sweeping->early->pdata[place] = answer;
}

static void
tell (Sweeping *sweeping, guint64 job, const SweepAnswer *answer)
{
  SimOptions options = options_of_job (sweeping->settings, job);
  g_autofree char *command = sim_options_command (&options);

  sweep_add (sweeping->sweep, answer, command);
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
  return settings->time_us == 0 || workers_now_us () - sweeping->began_us < settings->time_us;
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

static int
sweep (const SweepSettings *settings)
{
  g_autoptr (Workers) workers = workers_new (settings->n_workers, settings->run_time_us, work,
                                             sizeof (SweepAnswer), (gpointer) settings);
  g_autoptr (Sweep) table = sweep_new ();
  g_autoptr (GPtrArray) early = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Sweeping sweeping = { .settings = settings, .workers = workers, .sweep = table };

  sweeping.early = early;
  sweeping.n_jobs = settings->options.last_seed - settings->options.seed + 1;
  sweeping.began_us = workers_now_us ();
  sweeping.progress_us
      = sweeping.began_us + (workers_on_terminal () ? PROGRESS_TERMINAL_US : PROGRESS_US);
  workers_catch_signals ();
  fflush (stdout);
  if (!sweep_all (&sweeping, &error))
    return command_mistake (error);
  end_progress ();
  print_end (&sweeping);
  return (int) sweep_verdict (table);
}

/* --- options ---------------------------------------------------------------------------------- */

/* "90s", "10m", "2h". */
static gboolean
take_time (Arguments *arguments, const char *option, gint64 *ret_us, GError **error)
{
  static const struct
  {
    char unit;
    gint64 seconds;
  } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 } };
  const char *text = arguments_next (arguments);
  char *end = NULL;
  guint64 number = text == NULL ? 0 : g_ascii_strtoull (text, &end, 10);

  for (guint i = 0; number > 0 && number < 1000000 && i < G_N_ELEMENTS (units); i++)
    if (g_ascii_isdigit (*text) && end[0] == units[i].unit && end[1] == '\0')
      {
        *ret_us = (gint64) number * units[i].seconds * G_USEC_PER_SEC;
        return TRUE;
      }
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "%s needs a time, for example 90s, 10m or 2h, not '%s'", option,
                       text == NULL ? "" : text);
}

/* As --seed of a run, which may be said as well. */
static gboolean
take_seeds (SweepSettings *settings, Arguments *arguments, GError **error)
{
  g_autoptr (GError) mistake = NULL;

  if (sim_options_take (&settings->options, arguments, "--seed", &mistake))
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING, "%s", mistake->message);
}

static gboolean
take_own_option (SweepSettings *settings, Arguments *arguments, const char *option, GError **error)
{
  if (strcmp (option, "--seeds") == 0)
    return take_seeds (settings, arguments, error);
  if (strcmp (option, "--members") == 0)
    return sweep_range_parse (option, arguments_next (arguments), 1, SIM_MEMBERS_MAX,
                              &settings->members, error);
  if (strcmp (option, "--jobs") == 0)
    return arguments_count (arguments, option, 1, WORKERS_MAX, &settings->n_workers, error);
  if (strcmp (option, "--time") == 0)
    return take_time (arguments, option, &settings->time_us, error);
  if (strcmp (option, "--run-time") == 0)
    return take_time (arguments, option, &settings->run_time_us, error);
  return arguments_unknown ("sweep", option, error);
}

static gboolean
take_option (SweepSettings *settings, Arguments *arguments, const char *option, GError **error)
{
  g_autoptr (GError) mistake = NULL;

  if (strcmp (option, "--members") != 0
      && sim_options_take (&settings->options, arguments, option, &mistake))
    return TRUE;
  if (mistake != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&mistake));
      return FALSE;
    }
  return take_own_option (settings, arguments, option, error);
}

static int
run (Arguments *arguments)
{
  SweepSettings settings = {
    .options = sim_options_default (),
    .n_workers = workers_processors (),
    .run_time_us = 60 * G_USEC_PER_SEC,
  };
  g_autoptr (GError) error = NULL;

  settings.options.last_seed = 1000;
  while (arguments->left > 0)
    if (!take_option (&settings, arguments, arguments_next (arguments), &error))
      return command_mistake (error);
  if (settings.members.low > 0)
    settings.options.members = (guint) settings.members.high;
  if (!sim_options_check (&settings.options, &error))
    return command_mistake (error);
  return sweep (&settings);
}

static void
print_help (void)
{
  g_autofree char *options = sim_options_help ();

  printf (
      "Runs many seeds, each in a process of its own, and prints what they came to: sums, rare\n"
      "situations that none of them met, and of each rule that was broken the first run that\n"
      "did. A process that crashes is a violation, with its seed.\n"
      "\n"
      "Options:\n"
      "  --seeds FROM..TO          the seeds (1..1000)\n"
      "  --members LOW..HIGH       sizes of the cluster, drawn for each seed\n"
      "  --jobs N                  runs at a time (one for each processor)\n"
      "  --time LIMIT              begin no run later than that: 90s, 10m, 2h\n"
      "  --run-time LIMIT          kill and report a run that takes longer (60s)\n"
      "and those of a run:\n"
      "%s",
      options);
}

const Command command_sweep = {
  .name = "sweep",
  .arguments = "[OPTION...]",
  .what = "many seeds on all processors, and a table of what they came to",
  .print_help = print_help,
  .run = run,
};
