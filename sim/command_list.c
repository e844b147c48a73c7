/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/suggest.h"
#include "sim/command.h"
#include "sim/findings.h"
#include "sim/timeline.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct List
{
  const char *name;
  void (*print) (void);
} List;

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

            printf ("  %-34s %s %s\n", usage, fault_may_be_drawn ((FaultKind) i) ? "d" : "-",
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

static const List lists[] = {
  { "faults", list_faults },
  { "checkers", list_checkers },
  { "conditions", list_conditions },
  { "probes", list_probes },
};

static int
list (Arguments *arguments)
{
  const char *names[G_N_ELEMENTS (lists)];
  g_autofree char *suggestion = NULL;
  const char *word = arguments_next (arguments);

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      names[i] = lists[i].name;
      if (arguments->left > 0 || g_strcmp0 (word, lists[i].name) != 0)
        continue;
      lists[i].print ();
      return EXIT_SUCCESS;
    }
  suggestion = suggest_text (word == NULL ? "" : word, names, G_N_ELEMENTS (lists));
  fprintf (stderr, "consort-sim: list needs one of %s, not '%s'%s\n", command_list.arguments,
           word == NULL ? "" : word, suggestion);
  return EXIT_USAGE;
}

static void
print_help (void)
{
  printf ("faults: what can go wrong in a run. checkers: the rules that are checked, and what\n"
          "breaking each means. probes: situations that some run has to come to.\n");
}

const Command command_list = {
  .name = "list",
  .arguments = "faults|checkers|conditions|probes",
  .what = "the faults that are simulated, the rules that are checked, and so on",
  .print_help = print_help,
  .run = list,
};
