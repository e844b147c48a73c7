/* SPDX-License-Identifier: MIT */
#include "sim/scenario_play.h"
#include "sim/faults.h"
#include "sim/story.h"

#include <string.h>

/* --- one run ---------------------------------------------------------------------------------- */

/* The first finding breaks one of `rules`; all are, if there are none. */
static gboolean
is_one_of (const char *finding, const GPtrArray *rules)
{
  for (guint i = 0; i < rules->len; i++)
    if (g_str_has_prefix (finding, rules->pdata[i]) && finding[strlen (rules->pdata[i])] == ':')
      return TRUE;
  return rules->len == 0;
}

/* The first situation that no run has met; NULL: there is none. */
static const char *
what_is_missed (const GPtrArray *reached, const ScenarioResult *result)
{
  for (guint i = 0; i < reached->len; i++)
    for (guint probe = 0; probe < N_PROBES; probe++)
      if (strcmp (probe_infos[probe].name, reached->pdata[i]) == 0 && result->reached[probe] == 0)
        return reached->pdata[i];
  return NULL;
}

static void
keep (ScenarioResult *result, const World *world, Verdict verdict, Story *story)
{
  g_free (result->finding);
  g_free (result->story);
  result->verdict = verdict;
  result->seed = world->options->seed;
  result->finding = findings_count (world->findings) == 0
                        ? NULL
                        : g_strdup (findings_text (world->findings, 0));
  result->story = story == NULL ? NULL : story_text (story);
}

/* TRUE: that decides, there is no need for more. */
static gboolean
run_seed (const Scenario *scenario, guint64 seed, const ScenarioWatch *watch,
          ScenarioResult *result)
{
  const Expectation *expect = &scenario->expect;
  SimOptions options = scenario->options;
  g_autoptr (Story) story = NULL; /* outlives the world, whose end has trace points, too */
  g_autoptr (World) world = NULL;
  Trace *trace = NULL;
  Verdict verdict;

  options.seed = options.last_seed = seed;
  world = world_new (&options);
  if (watch != NULL && watch->begin != NULL)
    trace = watch->begin (world, watch->user_data);
  if (expect->story != NULL || (watch != NULL && watch->wants_story))
    story = story_new (world, trace);
  world_set_trace (world, story == NULL ? trace : story_trace (story));
  verdict = world_run (world);
  result->n_runs++;
  result->n_passed += verdict == VERDICT_PASS;
  for (guint i = 0; i < N_PROBES; i++)
    result->reached[i] += world->probes.counts[i];
  keep (result, world, verdict, story);
  if (watch != NULL && watch->end != NULL)
    watch->end (world, verdict, watch->user_data);
  if (expect->verdict == VERDICT_PASS)
    return verdict != VERDICT_PASS;
  return verdict == expect->verdict && is_one_of (result->finding, expect->rules)
         && what_is_missed (expect->reached, result) == NULL;
}

/* --- what came of it -------------------------------------------------------------------------- */

/* NULL: nothing. */
static char *
what_is_unmet (const Scenario *scenario, const ScenarioResult *result)
{
  const Expectation *expect = &scenario->expect;

  if (!expect->given)
    return NULL;
  if (result->verdict != expect->verdict)
    return g_strdup_printf (
        "the verdict is %s with seed %" G_GUINT64_FORMAT ", but %s was expected%s%s",
        verdict_name (result->verdict), result->seed, verdict_name (expect->verdict),
        result->finding == NULL ? "" : ": ", result->finding == NULL ? "" : result->finding);
  if (result->finding != NULL && !is_one_of (result->finding, expect->rules))
    return g_strdup_printf ("another rule was broken with seed %" G_GUINT64_FORMAT
                            " than was expected: %s",
                            result->seed, result->finding);
  if (what_is_missed (expect->reached, result) != NULL)
    return g_strdup_printf ("no run has met '%s'", what_is_missed (expect->reached, result));
  if (expect->story != NULL && strcmp (expect->story, result->story) != 0)
    {
      g_autofree char *difference = story_difference (expect->story, result->story);

      return g_strdup_printf ("the story is another one\n%s", difference);
    }
  return NULL;
}

void
scenario_play (const Scenario *scenario, const ScenarioWatch *watch, ScenarioResult *ret_result)
{
  ScenarioResult result = { 0 };
  guint64 seed = scenario->options.seed;

  while (!run_seed (scenario, seed, watch, &result) && seed < scenario->options.last_seed)
    seed++;
  result.unmet = what_is_unmet (scenario, &result);
  *ret_result = result;
}

void
scenario_result_clear (ScenarioResult *result)
{
  g_free (result->finding);
  g_free (result->story);
  g_free (result->unmet);
}

int
scenario_result_status (const Scenario *scenario, const ScenarioResult *result)
{
  if (scenario->expect.given && result->unmet == NULL)
    return 0;
  if (result->unmet != NULL && result->verdict == VERDICT_PASS)
    return VERDICT_VIOLATION;
  return (int) result->verdict;
}

Scenario *
scenario_of_run (const World *world, Verdict verdict)
{
  Scenario *scenario = scenario_new ();
  const char *finding
      = findings_count (world->findings) == 0 ? NULL : findings_text (world->findings, 0);

  timeline_free (scenario->timeline);
  scenario->timeline = timeline_copy (faults_peek_chronicle (world->faults));
  scenario->options = *world->options;
  scenario->options.timeline = scenario->timeline;
  sim_options_draw_nothing (&scenario->options);
  scenario->what = g_strdup_printf ("seed %" G_GUINT64_FORMAT " of %u members: %s",
                                    world->options->seed, world->options->members,
                                    finding == NULL ? verdict_name (verdict) : finding);
  /* It has to be one line of a file. */
  g_strdelimit (scenario->what, "\n\r\t", ' ');
  scenario->expect.given = TRUE;
  scenario->expect.verdict = verdict;
  if (finding != NULL)
    g_ptr_array_add (scenario->expect.rules, g_strndup (finding, strcspn (finding, ":")));
  return scenario;
}

/* --- stories ---------------------------------------------------------------------------------- */

#define LINES_SHOWN 5

char *
story_difference (const char *expected, const char *got)
{
  g_auto (GStrv) a = g_strsplit (expected, "\n", -1);
  g_auto (GStrv) b = g_strsplit (got, "\n", -1);
  GString *text = g_string_new (NULL);
  guint same = 0;

  while (a[same] != NULL && b[same] != NULL && strcmp (a[same], b[same]) == 0)
    same++;
  if (same > 0)
    g_string_append_printf (text, "    %s\n", a[same - 1]);
  for (guint i = same; a[i] != NULL && i < same + LINES_SHOWN; i++)
    g_string_append_printf (text, "  - %s\n", a[i]);
  for (guint i = same; b[i] != NULL && i < same + LINES_SHOWN; i++)
    g_string_append_printf (text, "  + %s\n", b[i]);
  return g_string_free (text, FALSE);
}
