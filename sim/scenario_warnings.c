/* SPDX-License-Identifier: MIT */
#include "sim/scenario_warnings.h"
#include "sim/member_name.h"
#include "sim/workload.h"

static void
warn_of_entry (const Scenario *scenario, const TimelineEntry *entry, const char *place,
               GPtrArray *warnings)
{
  const SimOptions *options = &scenario->options;
  const Trigger *trigger = &entry->trigger;
  gint highest = MAX (phrase_values_highest (&trigger->condition.values),
                      phrase_values_highest (&entry->fault.values));
  const char *client = trigger->condition.values.client != NULL ? trigger->condition.values.client
                                                                : entry->fault.values.client;
  char name[MEMBER_NAME_SIZE], last[MEMBER_NAME_SIZE];

  if (highest >= (gint) options->members)
    g_ptr_array_add (
        warnings,
        g_strdup_printf ("%s: this can never strike: there is no member %s, the last of %u is %s",
                         place, member_name_text ((guint) highest, name), options->members,
                         member_name_text (options->members - 1, last)));
  else if (client != NULL && !workload_has_client (options, client))
    g_ptr_array_add (warnings, g_strdup_printf ("%s: this can never strike: there is no client %s",
                                                place, client));
  else if (trigger->kind == TRIGGER_AFTER && trigger->confirmed > options->messages)
    g_ptr_array_add (warnings,
                     g_strdup_printf ("%s: this can never strike: %u messages are published", place,
                                      options->messages));
  else if (trigger->kind == TRIGGER_WHEN && trigger->condition.kind == CONDITION_SEES
           && trigger->condition.values.count > options->members)
    g_ptr_array_add (warnings, g_strdup_printf ("%s: this can never strike: there are %u members",
                                                place, options->members));
}

void
scenario_warn (const Scenario *scenario, const GPtrArray *places, GPtrArray *warnings)
{
  g_assert (places->len == timeline_length (scenario->timeline));
  for (guint i = 0; i < places->len; i++)
    warn_of_entry (scenario, timeline_peek (scenario->timeline, i), places->pdata[i], warnings);
  if (scenario->what == NULL)
    g_ptr_array_add (
        warnings,
        g_strdup_printf ("%s: it does not say what is to be seen: what = ...", scenario->path));
}
