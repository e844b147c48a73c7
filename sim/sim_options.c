/* SPDX-License-Identifier: MIT */
#include "sim/sim_options.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "sim/option_keys.h"

#include <string.h>

/* A help's column of explanations, and where its lines are broken. */
#define HELP_COLUMN 28
#define HELP_WIDTH  90

SimOptions
sim_options_default (void)
{
  return (SimOptions){
    .members = 3,
    .seed = 1,
    .last_seed = 1,
    .duration_us = 10000 * 1000,
    .order = SIM_SPAN_DRAWN,
    .lag = SIM_SPAN_DRAWN,
    .link = SIM_SPAN_DRAWN,
    .window = SIM_DRAWN,
    .state_chunk = SIM_DRAWN,
    .backlog = SIM_DRAWN,
    .messages = 300,
    .clients = 8,
    .publishers = SIM_PUBLISHERS_DRAWN,
    .crashes = 3,
    .partitions = SIM_PARTITIONS_DRAWN,
  };
}

void
sim_options_draw_nothing (SimOptions *options)
{
  options->crashes = options->partitions = 0;
  for (guint i = 0; i < N_FAULT_KINDS; i++)
    options->faults[i] = 0;
}

gboolean
sim_options_take (SimOptions *options, Arguments *arguments, const char *option, GError **error)
{
  gboolean negated = g_str_has_prefix (option, "--no-");
  const OptionKey *key = option_key_find (option + (negated ? 5 : MIN (strlen (option), 2)));
  const char *text;

  if (!g_str_has_prefix (option, "--") || key == NULL || (negated && key->type != OPTION_FLAG))
    return FALSE;
  if (key->type == OPTION_FLAG)
    text = negated ? "no" : "yes";
  else
    text = arguments_next (arguments);
  if (option_key_parse (key, text == NULL ? "" : text, options, error))
    return TRUE;
  g_prefix_error (error, "%s ", option);
  return FALSE;
}

guint
sim_options_n_voters (const SimOptions *options)
{
  return MIN (options->members - options->strangers, LIMIT_VOTERS);
}

guint
sim_options_churn (const SimOptions *options)
{
  return options->quiet_clients || options->clients < 6 ? 0 : MAX (1, options->clients / 8);
}

gboolean
sim_options_check (const SimOptions *options, GError **error)
{
  guint churn = sim_options_churn (options);

  if (options->publishers != SIM_PUBLISHERS_DRAWN
      && options->publishers + churn >= options->clients)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "publishers %u of %u clients leave nobody to consume", options->publishers,
                         options->clients);
  if (options->strangers >= options->members)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "strangers %u of %u members leave nobody to form a cluster",
                         options->strangers, options->members);
  if (options->limits_none || options->members <= LIMIT_GROUP_MEMBERS)
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "members %u is more than corosync's %u: say limits none", options->members,
                       LIMIT_GROUP_MEMBERS);
}

/* --- as text ---------------------------------------------------------------------------------- */

static void
pad_to (GString *text, gsize line, gsize column)
{
  while (text->len - line < column)
    g_string_append_c (text, ' ');
}

static void
wrap (GString *text, gsize line, const char *words)
{
  g_auto (GStrv) list = g_strsplit (words, " ", -1);

  pad_to (text, line, HELP_COLUMN - 1);
  for (guint i = 0; list[i] != NULL; i++)
    {
      if (text->len - line + 1 + strlen (list[i]) > HELP_WIDTH)
        {
          g_string_append_c (text, '\n');
          line = text->len;
          pad_to (text, line, HELP_COLUMN - 1);
        }
      g_string_append_printf (text, " %s", list[i]);
    }
  g_string_append_c (text, '\n');
}

char *
sim_options_help (void)
{
  SimOptions defaults = sim_options_default ();
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_option_keys; i++)
    {
      const OptionKey *key = &option_keys[i];
      g_autofree char *value = option_key_text (key, &defaults);
      g_autofree char *what = key->type == OPTION_FLAG
                                  ? g_strdup (key->what)
                                  : g_strdup_printf ("%s (default %s)", key->what, value);
      gsize line = text->len;

      g_string_append_printf (text, "  --%s %s", key->name, key->value == NULL ? "" : key->value);
      wrap (text, line, what);
    }
  return g_string_free (text, FALSE);
}

static void
append_option (const OptionKey *key, const SimOptions *options, GString *text)
{
  g_autofree char *value = option_key_text (key, options);

  if (key->type == OPTION_FLAG)
    g_string_append_printf (text, " --%s%s", strcmp (value, "no") == 0 ? "no-" : "", key->name);
  else if (strchr (value, ' ') != NULL)
    g_string_append_printf (text, " --%s '%s'", key->name, value);
  else
    g_string_append_printf (text, " --%s %s", key->name, value);
}

char *
sim_options_text (const SimOptions *options, const SimOptions *base)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_option_keys; i++)
    if (!option_key_equal (&option_keys[i], options, base))
      append_option (&option_keys[i], options, text);
  return g_string_free (text, FALSE);
}

char *
sim_options_command (const SimOptions *options)
{
  SimOptions base = sim_options_default ();
  g_autofree char *text = NULL;

  /* Always said. */
  base.members = 0;
  base.seed = base.last_seed = ~options->seed;
  text = sim_options_text (options, &base);
  return g_strconcat ("consort-sim run", text, NULL);
}
