/* SPDX-License-Identifier: MIT */
/* What a scenario is read as can be written down, and is then read as an equal one; whatever is
 * wrong is told as lines of text, and an end comes to scenarios that extend each other.
 *
 * Input: the text; a scenario that it extends is the same text again. */
#include "core/base/error.h"
#include "sim/scenario.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static Slice input;

static gboolean
load (const char *path, char **ret_text, gsize *ret_length, GError **error)
{
  if (strlen (path) > 1000)
    return system_error (error, SYSTEM_ERROR_SETTING, "%s: no such file", path);
  *ret_text = g_strndup ((const char *) input.bytes, input.length);
  *ret_length = input.length;
  return TRUE;
}

static void
check_lines (const GPtrArray *lines)
{
  for (guint i = 0; i < lines->len; i++)
    g_assert (g_utf8_validate (lines->pdata[i], -1, NULL) && strlen (lines->pdata[i]) > 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GPtrArray) mistakes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (Scenario) scenario = NULL;
  g_autoptr (Scenario) again = NULL;
  g_autofree char *text = NULL;

  input = slice_new (data, size, NULL);
  scenario = scenario_parse ("x", input, load, mistakes, warnings);
  check_lines (mistakes);
  check_lines (warnings);
  g_assert ((scenario == NULL) == (mistakes->len > 0));
  if (scenario == NULL)
    return 0;
  text = scenario_text (scenario);
  again = scenario_parse ("x", slice_of_text (text), load, mistakes, warnings);
  g_assert (again != NULL && scenario_equal (scenario, again));
  return 0;
}
