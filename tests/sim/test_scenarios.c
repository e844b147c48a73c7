/* SPDX-License-Identifier: MIT */
/* Every tests/scenarios/NAME.scenario goes as it expects. One that does not is looked at with
 *
 *     consort-sim run --explain tests/scenarios/NAME.scenario
 *
 * and if all is well but its story has changed, `consort-sim run --update` writes the new one. */
#include "sim/scenario_play.h"

#include <string.h>

/* What goes wrong without a rule does not with it. */
static void
assert_rules_help (const Scenario *scenario, const ScenarioResult *result)
{
  g_autoptr (Scenario) with_rules = scenario_copy (scenario);
  g_auto (ScenarioResult) with = { 0 };

  if (scenario->options.rules_off == 0)
    return;
  with_rules->options.rules_off = 0;
  with_rules->options.seed = with_rules->options.last_seed = result->seed;
  with_rules->expect.given = FALSE;
  scenario_play (with_rules, NULL, &with);
  g_assert_cmpint (with.verdict, ==, VERDICT_PASS);
}

static void
test_scenario (gconstpointer data)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (Scenario) scenario = scenario_read (data, mistakes, warnings);
  g_auto (ScenarioResult) result = { 0 };

  g_ptr_array_extend_and_steal (mistakes, g_steal_pointer (&warnings));
  for (guint i = 0; i < mistakes->len; i++)
    g_test_message ("%s", (const char *) mistakes->pdata[i]);
  g_assert_cmpuint (mistakes->len, ==, 0);
  g_assert_true (scenario->expect.given);
  scenario_play (scenario, NULL, &result);
  assert_rules_help (scenario, &result);
  if (result.unmet != NULL)
    g_test_message ("%s", result.unmet);
  g_assert_null (result.unmet);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The paths of the scenarios there, by name. */
static GPtrArray *
list_scenarios (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = g_dir_open (folder, 0, &error);
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_assert_no_error (error);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".scenario"))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_names);
  return paths;
}

int
main (int argc, char **argv)
{
  const char *source = g_getenv ("top_srcdir");
  g_autofree char *folder = NULL;
  g_autoptr (GPtrArray) paths = NULL;

  g_test_init (&argc, &argv, NULL);
  folder = g_build_filename (source == NULL ? "." : source, "tests", "scenarios", NULL);
  paths = list_scenarios (folder);
  g_assert (paths->len > 0);
  for (guint i = 0; i < paths->len; i++)
    {
      g_autofree char *file = g_path_get_basename (paths->pdata[i]);
      g_autofree char *test = g_strndup (file, strlen (file) - strlen (".scenario"));
      g_autofree char *path = g_strconcat ("/scenarios/", test, NULL);

      g_test_add_data_func (path, paths->pdata[i], test_scenario);
    }
  return g_test_run ();
}
