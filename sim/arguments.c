/* SPDX-License-Identifier: MIT */
#include "sim/arguments.h"
#include "core/base/error.h"

const char *
arguments_next (Arguments *arguments)
{
  if (arguments->left == 0)
    return NULL;
  arguments->left--;
  return *arguments->next++;
}

gboolean
arguments_word (Arguments *arguments, const char *option, const char *expected,
                const char **ret_word, GError **error)
{
  const char *word = arguments_next (arguments);

  if (word == NULL)
    return system_error (error, SYSTEM_ERROR_SETTING, "%s needs %s", option, expected);
  *ret_word = word;
  return TRUE;
}

gboolean
arguments_number (Arguments *arguments, const char *option, guint64 low, guint64 high,
                  guint64 *ret_number, GError **error)
{
  const char *text = arguments_next (arguments);
  guint64 number;

  if (text == NULL || !g_ascii_string_to_unsigned (text, 10, low, high, &number, NULL))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "%s needs a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                         ", not '%s'",
                         option, low, high, text == NULL ? "" : text);
  *ret_number = number;
  return TRUE;
}

gboolean
arguments_count (Arguments *arguments, const char *option, guint low, guint high, guint *ret_count,
                 GError **error)
{
  guint64 number = 0;

  if (!arguments_number (arguments, option, low, high, &number, error))
    return FALSE;
  *ret_count = (guint) number;
  return TRUE;
}

gboolean
arguments_range (Arguments *arguments, const char *option, guint64 low, guint64 high,
                 guint64 *ret_first, guint64 *ret_last, GError **error)
{
  const char *text = arguments_next (arguments);
  g_auto (GStrv) ends = g_strsplit (text == NULL ? "" : text, "..", 2);
  guint64 first, last;

  if (ends[0] == NULL || !g_ascii_string_to_unsigned (ends[0], 10, low, high, &first, NULL)
      || !g_ascii_string_to_unsigned (ends[1] == NULL ? ends[0] : ends[1], 10, first, high, &last,
                                      NULL))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "%s needs a number or a range as %" G_GUINT64_FORMAT "..%" G_GUINT64_FORMAT
                         ", not '%s'",
                         option, low, high, text == NULL ? "" : text);
  *ret_first = first;
  *ret_last = last;
  return TRUE;
}

gboolean
arguments_unknown (const char *command, const char *option, GError **error)
{
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "unknown option '%s' (consort-sim %s --help lists them)", option, command);
}
