/* SPDX-License-Identifier: MIT */
/* Scenarios on disk. */
#include "core/base/error.h"
#include "core/base/limits.h"
#include "sim/scenario.h"

#include <string.h>

static gboolean
load (const char *path, char **ret_text, gsize *ret_length, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (!g_file_get_contents (path, &text, &length, &reason))
    return system_error (error, SYSTEM_ERROR_SETTING, "%s", reason->message);
  if (length > LIMIT_SCENARIO_FILE)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "'%s' is too large to be a scenario: more than %u bytes", path,
                         LIMIT_SCENARIO_FILE);
  *ret_text = g_steal_pointer (&text);
  *ret_length = length;
  return TRUE;
}

Scenario *
scenario_read (const char *path, GPtrArray *mistakes, GPtrArray *warnings)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  if (!load (path, &text, &length, &error))
    {
      g_ptr_array_add (mistakes, g_strdup (error->message));
      return NULL;
    }
  return scenario_parse (path, slice_new (text, length, NULL), load, mistakes, warnings);
}

static gboolean
save (const char *path, const char *text, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (g_file_set_contents (path, text, -1, &reason))
    return TRUE;
  return system_error (error, SYSTEM_ERROR_REFUSED, "%s", reason->message);
}

gboolean
scenario_write (const Scenario *scenario, const char *path, GError **error)
{
  g_autofree char *text = scenario_text (scenario);

  return save (path, text, error);
}

/* Where the line begins that is [section]; NULL: there is none. */
static const char *
find_section (const char *text, const char *section)
{
  for (const char *line = text; line != NULL; line = strchr (line, '\n'))
    {
      line += line > text || *line == '\n';
      line += strspn (line, " \t");
      if (*line == '[' && (section == NULL || g_str_has_prefix (line + 1, section)))
        return line;
    }
  return NULL;
}

gboolean
scenario_update_story (const char *path, const char *story, GError **error)
{
  g_autofree char *text = NULL;
  g_autofree char *updated = NULL;
  const char *begin, *end;
  gsize length;

  if (!load (path, &text, &length, error))
    return FALSE;
  begin = find_section (text, "story]");
  if (begin == NULL)
    updated = g_strdup_printf ("%s\n[story]\n%s", text, story);
  else
    {
      end = find_section (begin + 1, NULL);
      updated = g_strdup_printf ("%.*s[story]\n%s%s%s", (int) (begin - text), text, story,
                                 end == NULL ? "" : "\n", end == NULL ? "" : end);
    }
  return save (path, updated, error);
}
