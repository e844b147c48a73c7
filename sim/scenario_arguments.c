/* SPDX-License-Identifier: MIT */
#include "sim/scenario_arguments.h"

ScenarioArguments
scenario_arguments_init (void)
{
  return (ScenarioArguments){ g_ptr_array_new (), g_ptr_array_new () };
}

void
scenario_arguments_clear (ScenarioArguments *arguments)
{
  g_ptr_array_unref (arguments->files);
  g_ptr_array_unref (arguments->options);
}

/* An option is looked at, and kept for later. */
gboolean
scenario_arguments_take (ScenarioArguments *arguments, Arguments *words, const char *word,
                         GError **error)
{
  SimOptions scratch = sim_options_default ();
  char **value = words->next;

  if (!g_str_has_prefix (word, "--"))
    {
      g_ptr_array_add (arguments->files, (gpointer) word);
      return TRUE;
    }
  if (!sim_options_take (&scratch, words, word, error))
    return FALSE;
  g_ptr_array_add (arguments->options, (gpointer) word);
  for (; value < words->next; value++)
    g_ptr_array_add (arguments->options, *value);
  return TRUE;
}

gboolean
scenario_arguments_apply (const ScenarioArguments *arguments, Scenario *scenario, GError **error)
{
  Arguments words = { (int) arguments->options->len, (char **) arguments->options->pdata };

  while (words.left > 0)
    {
      gboolean taken
          = sim_options_take (&scenario->options, &words, arguments_next (&words), error);

      g_assert (taken); /* they were understood once already */
    }
  return sim_options_check (&scenario->options, error);
}
