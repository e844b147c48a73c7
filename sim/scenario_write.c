/* SPDX-License-Identifier: MIT */
#include "sim/option_keys.h"
#include "sim/scenario.h"

/* A comment and an entry. */
static void
write_entry (GString *text, const char *what, const char *name, const char *value)
{
  g_string_append_printf (text, "# %s\n%s = %s\n", what, name, value);
}

/* Those that are not as by default, and of [scenario] those that everybody asks for. */
static void
write_options (const SimOptions *options, OptionSection section, GString *text)
{
  SimOptions base = sim_options_default ();
  gsize begin = text->len;

  base.members = 0;
  base.seed = base.last_seed = ~options->seed;
  for (guint i = 0; i < n_option_keys; i++)
    if (option_keys[i].section == section && !option_key_equal (&option_keys[i], options, &base))
      {
        g_autofree char *value = option_key_text (&option_keys[i], options);

        write_entry (text, option_keys[i].what, option_keys[i].name, value);
      }
  if (section == OPTION_SCENARIO || text->len == begin)
    return;
  g_string_insert (text, (gssize) begin, "]\n");
  g_string_insert (text, (gssize) begin, option_sections[section]);
  g_string_insert (text, (gssize) begin, "\n[");
}

static void
write_names (GString *text, const char *name, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    g_string_append_printf (text, "%s = %s\n", name, (const char *) values->pdata[i]);
}

static void
write_expectation (const Expectation *expect, GString *text)
{
  if (!expect->given)
    return;
  g_string_append_printf (text, "\n[expect]\nverdict = %s\n", verdict_name (expect->verdict));
  write_names (text, "rule", expect->rules);
  write_names (text, "reached", expect->reached);
  if (expect->story != NULL)
    g_string_append_printf (text, "\n[story]\n%s", expect->story);
}

char *
scenario_text (const Scenario *scenario)
{
  GString *text = g_string_new ("[scenario]\n");
  g_autofree char *timeline = timeline_text (scenario->timeline);

  if (scenario->what != NULL)
    g_string_append_printf (text, "what = %s\n", scenario->what);
  for (guint section = 0; section < N_OPTION_SECTIONS; section++)
    write_options (&scenario->options, (OptionSection) section, text);
  if (timeline_length (scenario->timeline) > 0)
    g_string_append_printf (text, "\n[timeline]\n%s", timeline);
  write_expectation (&scenario->expect, text);
  return g_string_free (text, FALSE);
}
