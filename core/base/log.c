/* SPDX-License-Identifier: MIT */
#include "core/base/log.h"

LogLevel log_level = LOG_NOTICE;

static LogSink current_sink;
static gpointer current_user_data;

static const char *const level_names[] = {
  [LOG_ERROR] = "error", [LOG_WARNING] = "warning", [LOG_NOTICE] = "notice",
  [LOG_INFO] = "info",   [LOG_DEBUG] = "debug",
};

void
log_set_sink (LogSink sink, gpointer user_data)
{
  current_sink = sink;
  current_user_data = user_data;
}

const char *
log_level_name (LogLevel level)
{
  return level_names[level];
}

gboolean
log_level_from_name (const char *name, LogLevel *ret_level)
{
  for (guint i = 0; i < G_N_ELEMENTS (level_names); i++)
    if (g_str_equal (level_names[i], name))
      {
        *ret_level = (LogLevel) i;
        return TRUE;
      }
  return FALSE;
}

void
log_write (LogLevel level, const char *member, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  if (current_sink == NULL)
    return;
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  current_sink (level, member, text, current_user_data);
}
