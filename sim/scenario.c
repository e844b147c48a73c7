/* SPDX-License-Identifier: MIT */
#include "sim/scenario.h"
#include "sim/option_keys.h"

const ScenarioKey scenario_keys[] = {
  { "scenario", "what", "a sentence: what is to be seen" },
  { "scenario", "extends",
    "another scenario, by its path from this file: all it says but what it "
    "expects holds here too, unless this one says otherwise" },
  { "expect", "verdict", "pass, violation, liveness or inconclusive (default pass)" },
  { "expect", "rule", "what is broken, a name of list checkers; may come again: one of them" },
  { "expect", "reached", "a situation that is met, a name of list probes; may come again: all" },
};
const guint n_scenario_keys = G_N_ELEMENTS (scenario_keys);

static void
expectation_init (Expectation *expect)
{
  *expect = (Expectation){
    .verdict = VERDICT_PASS,
    .rules = g_ptr_array_new_with_free_func (g_free),
    .reached = g_ptr_array_new_with_free_func (g_free),
  };
}

Scenario *
scenario_new (void)
{
  Scenario *scenario = g_new0 (Scenario, 1);

  scenario->options = sim_options_default ();
  scenario->timeline = timeline_new ();
  scenario->options.timeline = scenario->timeline;
  expectation_init (&scenario->expect);
  return scenario;
}

static void
copy_names (GPtrArray *to, const GPtrArray *from)
{
  for (guint i = 0; i < from->len; i++)
    g_ptr_array_add (to, g_strdup (from->pdata[i]));
}

Scenario *
scenario_copy (const Scenario *scenario)
{
  Scenario *copy = g_new0 (Scenario, 1);

  copy->path = g_strdup (scenario->path);
  copy->what = g_strdup (scenario->what);
  copy->options = scenario->options;
  copy->timeline = timeline_copy (scenario->timeline);
  copy->options.timeline = copy->timeline;
  expectation_init (&copy->expect);
  copy->expect.given = scenario->expect.given;
  copy->expect.verdict = scenario->expect.verdict;
  copy->expect.story = g_strdup (scenario->expect.story);
  copy_names (copy->expect.rules, scenario->expect.rules);
  copy_names (copy->expect.reached, scenario->expect.reached);
  return copy;
}

void
scenario_set_timeline (Scenario *scenario, Timeline *take_timeline)
{
  timeline_free (scenario->timeline);
  scenario->timeline = take_timeline;
  scenario->options.timeline = take_timeline;
}

void
scenario_free (Scenario *scenario)
{
  g_ptr_array_unref (scenario->expect.rules);
  g_ptr_array_unref (scenario->expect.reached);
  g_free (scenario->expect.story);
  timeline_free (scenario->timeline);
  g_free (scenario->what);
  g_free (scenario->path);
  g_free (scenario);
}

/* --- equality ------------------------------------------------------------------------------- */

static gboolean
equal_names (const GPtrArray *a, const GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (a->pdata[i], b->pdata[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_timelines (const Timeline *a, const Timeline *b)
{
  if (timeline_length (a) != timeline_length (b))
    return FALSE;
  for (guint i = 0; i < timeline_length (a); i++)
    if (!trigger_equal (&timeline_peek (a, i)->trigger, &timeline_peek (b, i)->trigger)
        || !fault_equal (&timeline_peek (a, i)->fault, &timeline_peek (b, i)->fault))
      return FALSE;
  return TRUE;
}

gboolean
scenario_equal (const Scenario *a, const Scenario *b)
{
  for (guint i = 0; i < n_option_keys; i++)
    if (!option_key_equal (&option_keys[i], &a->options, &b->options))
      return FALSE;
  return g_strcmp0 (a->what, b->what) == 0 && equal_timelines (a->timeline, b->timeline)
         && a->expect.given == b->expect.given && a->expect.verdict == b->expect.verdict
         && equal_names (a->expect.rules, b->expect.rules)
         && equal_names (a->expect.reached, b->expect.reached)
         && g_strcmp0 (a->expect.story, b->expect.story) == 0;
}
