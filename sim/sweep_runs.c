/* SPDX-License-Identifier: MIT */
#include "sim/sweep_runs.h"
#include "core/base/error.h"
#include "sim/faults.h"

#include <string.h>

/* Of a run, as text; one that is longer is not told. */
#define CHRONICLE_SIZE (192 * 1024)
/* A sentence that tells why is cut off there. */
#define WHAT_LENGTH 160

typedef struct RunRecord
{
  SweepAnswer answer;
  char chronicle[CHRONICLE_SIZE];
} RunRecord;

/* --- limits -------------------------------------------------------------------------------- */

RunLimits
run_limits_default (void)
{
  return (RunLimits){ .n_workers = workers_processors (), .run_time_us = 60 * G_USEC_PER_SEC };
}

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

gboolean
run_limits_take (RunLimits *limits, Arguments *arguments, const char *option, GError **error)
{
  if (strcmp (option, "--jobs") == 0)
    return arguments_count (arguments, option, 1, WORKERS_MAX, &limits->n_workers, error);
  if (strcmp (option, "--time") == 0)
    return take_time (arguments, option, &limits->time_us, error);
  if (strcmp (option, "--run-time") == 0)
    return take_time (arguments, option, &limits->run_time_us, error);
  return FALSE;
}

/* --- one run -----------------------------------------------------------------------------------
 */

void
sweep_answer_of (const WorkResult *result, SweepAnswer *ret_answer)
{
  switch (result->end)
    {
    case WORK_DONE:
      memcpy (ret_answer, result->answer, sizeof *ret_answer);
      break;
    case WORK_CRASHED:
      sweep_answer_crashed (ret_answer, result->reason);
      break;
    case WORK_TOO_LONG:
      sweep_answer_too_long (ret_answer, result->reason);
      break;
    }
}

/* --- what struck --------------------------------------------------------------------------------
 */

static void
note_chronicle (const World *world, RunRecord *record)
{
  g_autofree char *text = timeline_text (faults_peek_chronicle (world->faults));

  if (strlen (text) < sizeof record->chronicle)
    strcpy (record->chronicle, text);
}

/* Noted as it goes: a process that crashes leaves behind what it has noted. */
static void
record_run (guint64 job, gpointer answer, gpointer user_data)
{
  const Scenario *scenario = user_data;
  g_autoptr (World) world = world_new (&scenario->options);
  RunRecord *record = answer;
  guint n_noted = 0;

  (void) job;
  while (world_step (world))
    {
      record->answer.virtual_us = world_now_us (world);
      if (timeline_length (faults_peek_chronicle (world->faults)) == n_noted)
        continue;
      n_noted = timeline_length (faults_peek_chronicle (world->faults));
      note_chronicle (world, record);
    }
  note_chronicle (world, record);
  sweep_answer_of_world (world, &record->answer);
}

static gboolean
run_once (const Scenario *scenario, gint64 run_time_us, SweepAnswer *ret_answer,
          char **ret_chronicle, GError **error)
{
  g_autoptr (Workers) workers
      = workers_new (1, run_time_us, record_run, sizeof (RunRecord), (gpointer) scenario);
  const RunRecord *record;
  WorkResult result;

  if (!workers_start (workers, 0, error))
    return FALSE;
  if (!workers_next (workers, run_time_us + G_USEC_PER_SEC, &result))
    return system_error (error, SYSTEM_ERROR_REFUSED, "interrupted");
  sweep_answer_of (&result, ret_answer);
  record = result.answer;
  if (record != NULL)
    ret_answer->virtual_us = record->answer.virtual_us;
  *ret_chronicle = g_strdup (record == NULL ? "" : record->chronicle);
  return TRUE;
}

static Timeline *
read_chronicle (const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Timeline *timeline = timeline_new ();

  for (guint i = 0; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) sides = g_strsplit (lines[i], " = ", 2);
      KeyfilePosition nowhere = { 0 };
      gboolean read = timeline_parse_entry (timeline, slice_of_text (sides[0]), nowhere,
                                            slice_of_text (sides[1]), nowhere, NULL);

      g_assert (read); /* it was written just so */
    }
  return timeline;
}

gboolean
sweep_make_explicit (Scenario *scenario, gint64 run_time_us, SweepAnswer *ret_answer,
                     GError **error)
{
  g_autoptr (Scenario) explicit = scenario_copy (scenario);
  g_autofree char *chronicle = NULL;
  g_autofree char *again = NULL;
  SweepAnswer first, second;

  if (!run_once (scenario, run_time_us, &first, &chronicle, error))
    return FALSE;
  *ret_answer = first;
  if (first.verdict == VERDICT_PASS || *chronicle == '\0')
    return TRUE;
  sim_options_draw_nothing (&explicit->options);
  scenario_set_timeline (explicit, read_chronicle (chronicle));
  if (!run_once (explicit, run_time_us, &second, &again, error))
    return FALSE;
  if (!sweep_answer_alike (&first, &second))
    return TRUE;
  scenario->options = explicit->options;
  scenario_set_timeline (scenario, timeline_copy (explicit->timeline));
  return TRUE;
}

/* --- what it says of itself ----------------------------------------------------------------------
 */

/* The rule and the reason, as long as a sentence may be. Yours. */
static char *
tell_why (const SweepAnswer *answer)
{
  g_autoptr (GString) why = g_string_new (NULL);

  g_string_printf (why, "%s: %s", answer->rule, answer->reason);
  if (why->len > WHAT_LENGTH)
    {
      g_string_truncate (why, WHAT_LENGTH);
      g_string_truncate (why, (gsize) (strrchr (why->str, ' ') - why->str));
      g_string_append (why, " ...");
    }
  return g_strdup (why->str);
}

gboolean
sweep_expect (Scenario *scenario, gint64 run_time_us, GError **error)
{
  g_autofree char *chronicle = NULL;
  SweepAnswer answer;

  if (!run_once (scenario, run_time_us, &answer, &chronicle, error))
    return FALSE;
  g_free (scenario->what);
  scenario->what = tell_why (&answer);
  scenario->expect.given = TRUE;
  scenario->expect.verdict = answer.verdict;
  g_ptr_array_set_size (scenario->expect.rules, 0);
  g_ptr_array_set_size (scenario->expect.reached, 0);
  g_clear_pointer (&scenario->expect.story, g_free);
  if (!sweep_answer_has_no_end (&answer))
    g_ptr_array_add (scenario->expect.rules, g_strdup (answer.rule));
  return TRUE;
}
