/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "sim/command.h"
#include "sim/findings.h"
#include "sim/option_keys.h"
#include "sim/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct List
{
  const char *name;
  void (*print) (void);
} List;

/* The one that takes more words: files. */
#define SCENARIOS "scenarios"

static void
list_checkers (void)
{
  for (guint i = 0; i < n_checker_rules; i++)
    printf ("%-20s %-13s %s\n", checker_rules[i].name, verdict_name (checker_rules[i].verdict),
            checker_rules[i].promise);
}

static void
list_faults (void)
{
  for (guint group = 0; group < N_FAULT_GROUPS; group++)
    {
      printf ("%s%s:\n", group == 0 ? "" : "\n", fault_group_name ((FaultGroup) group));
      for (guint i = 0; i < N_FAULT_KINDS; i++)
        if (fault_kinds[i].group == group)
          {
            g_autofree char *usage
                = g_strdup_printf ("%s %s", fault_kinds[i].name, fault_kinds[i].pattern);

            printf ("  %-43s %s %s\n", usage, fault_may_be_drawn ((FaultKind) i) ? "d" : "-",
                    fault_kinds[i].what);
          }
    }
  printf ("\nd: a seed may draw it. All can be scripted.\n");
}

static void
list_conditions (void)
{
  for (guint i = 0; i < N_CONDITION_KINDS; i++)
    printf ("%-26s %s\n", condition_kinds[i].pattern, condition_kinds[i].what);
}

static void
list_probes (void)
{
  for (guint i = 0; i < N_PROBES; i++)
    printf ("%-24s %s\n", probe_infos[i].name, probe_infos[i].what);
}

static void
list_sites (void)
{
  for (guint i = 0; i < N_FAULT_SITES; i++)
    printf ("%-24s %s\n", fault_site_names[i], fault_site_sentences[i]);
}

static void
list_other_keys (const char *section)
{
  for (guint i = 0; i < n_scenario_keys; i++)
    if (strcmp (scenario_keys[i].section, section) == 0)
      printf ("  %-18s %s\n", scenario_keys[i].name, scenario_keys[i].what);
}

static void
list_keys (void)
{
  SimOptions defaults = sim_options_default ();

  for (guint section = 0; section < N_OPTION_SECTIONS; section++)
    {
      printf ("[%s]\n", option_sections[section]);
      list_other_keys (option_sections[section]);
      for (guint i = 0; i < n_option_keys; i++)
        if (option_keys[i].section == section)
          {
            g_autofree char *value = option_key_text (&option_keys[i], &defaults);

            printf ("  %-18s %s (default %s)\n", option_keys[i].name, option_keys[i].what, value);
          }
    }
  printf ("[timeline]\n"
          "  TRIGGER = FAULT    at TIME, after COUNT confirmed, when or then CONDITION [+ TIME]\n"
          "                     (list conditions), and what strikes then (list faults)\n"
          "[expect]\n");
  list_other_keys ("expect");
  printf ("[story]\n"
          "  a text             what `run --explain` has to say, line by line\n");
}

static int
list_scenarios (Arguments *arguments)
{
  int status = EXIT_SUCCESS;
  const char *path;

  while ((path = arguments_next (arguments)) != NULL)
    {
      g_autoptr (Scenario) scenario = command_read_scenario (path);

      if (scenario == NULL)
        status = EXIT_USAGE;
      else
        printf ("%-44s %-12s %s\n", path,
                scenario->expect.given ? verdict_name (scenario->expect.verdict) : "-",
                scenario->what == NULL ? "" : scenario->what);
    }
  return status;
}

static const List lists[] = {
  { "faults", list_faults }, { "checkers", list_checkers }, { "conditions", list_conditions },
  { "keys", list_keys },     { "probes", list_probes },     { "sites", list_sites },
};

static int
list (Arguments *arguments)
{
  const char *names[G_N_ELEMENTS (lists) + 1] = { SCENARIOS };
  g_autofree char *suggestion = NULL;
  const char *word = arguments_next (arguments);

  if (arguments->left > 0 && strcmp (word, SCENARIOS) == 0)
    return list_scenarios (arguments);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      names[i + 1] = lists[i].name;
      if (arguments->left > 0 || g_strcmp0 (word, lists[i].name) != 0)
        continue;
      lists[i].print ();
      return EXIT_SUCCESS;
    }
  suggestion = suggest_text (word == NULL ? "" : word, names, G_N_ELEMENTS (names));
  fprintf (stderr, "consort-sim: list needs one of %s, not '%s'%s\n", command_list.arguments,
           word == NULL ? "" : word, suggestion);
  return EXIT_USAGE;
}

static void
print_help (void)
{
  printf (
      "faults: what can go wrong in a run. checkers: the rules that are checked, and what\n"
      "breaking each means. conditions: what a scenario can wait for. keys: what it can say.\n"
      "probes: situations that some run has to come to. sites: places in the code that a fault\n"
      "may strike. scenarios: what each of these files is about, and what it expects.\n");
}

const Command command_list = {
  .name = "list",
  .arguments = "faults|checkers|conditions|keys|probes|sites|scenarios FILE...",
  .what = "what can go wrong, what is checked, and what a scenario can say",
  .print_help = print_help,
  .run = list,
};
