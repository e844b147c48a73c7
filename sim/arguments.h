/* SPDX-License-Identifier: MIT */
/* The words of a command line, one after the other. What an option needs and did not get is a
 * SYSTEM_ERROR_SETTING that says what was expected. */
#pragma once

#include <glib.h>

typedef struct Arguments
{
  int left;
  char **next;
} Arguments;

/* NULL: there is none left. */
const char *arguments_next (Arguments *arguments);
gboolean arguments_word (Arguments *arguments, const char *option, const char *expected,
                         const char **ret_word, GError **error);
gboolean arguments_number (Arguments *arguments, const char *option, guint64 low, guint64 high,
                           guint64 *ret_number, GError **error);
gboolean arguments_count (Arguments *arguments, const char *option, guint low, guint high,
                          guint *ret_count, GError **error);
/* "7" or "3..9", the lower first, each from `low` to `high`. */
gboolean arguments_range (Arguments *arguments, const char *option, guint64 low, guint64 high,
                          guint64 *ret_first, guint64 *ret_last, GError **error);
/* FALSE, always. */
gboolean arguments_unknown (const char *command, const char *option, GError **error);
