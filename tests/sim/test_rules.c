/* SPDX-License-Identifier: MIT */
/* What each rule of doc/protocol.md is for: a run that some checker objects to while the rule is
 * off, and the same run with it on, which is fine. Any change of what members say moves such runs
 * to other seeds: so the known one is tried first, then those after it. */
#include "core/cluster/cluster.h"
#include "sim/world.h"

typedef struct RuleCase
{
  const char *name;
  ClusterRule rule;
  guint members;
  guint64 seed;
} RuleCase;

static const RuleCase rule_cases[] = {
  { "stamp", RULE_STAMP, 3, 114 },
  { "resend", RULE_RESEND, 3, 2 },
  { "blank", RULE_BLANK, 3, 487 },
  { "stepdown", RULE_STEPDOWN, 5, 273 },
};

#define SEEDS_TRIED 400

static Verdict
run (const RuleCase *rule_case, guint64 seed, guint rules_off)
{
  SimOptions options = sim_options_default ();
  g_autoptr (World) world = NULL;
  Verdict verdict;

  options.members = rule_case->members;
  options.seed = seed;
  options.partitions = 6;
  options.rules_off = rules_off;
  world = world_new (&options);
  verdict = world_run (world);
  if (verdict != VERDICT_PASS)
    g_test_message ("seed %" G_GUINT64_FORMAT ", without %s: %s", seed, rule_case->name,
                    findings_text (world->findings, 0));
  return verdict;
}

static void
test_rule (gconstpointer data)
{
  const RuleCase *rule_case = data;
  guint64 seed = rule_case->seed;

  while (run (rule_case, seed, rule_case->rule) == VERDICT_PASS)
    g_assert_cmpuint (++seed, <, rule_case->seed + SEEDS_TRIED);
  g_assert_cmpint (run (rule_case, seed, 0), ==, VERDICT_PASS);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rule_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/sim/rules/", rule_cases[i].name, NULL);

      g_test_add_data_func (path, &rule_cases[i], test_rule);
    }
  return g_test_run ();
}
