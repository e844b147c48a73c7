/* SPDX-License-Identifier: MIT */
/* Messages for people. The level is tested before anything is formatted: a silent log_debug
 * costs one comparison (g_debug formats first: 200 ns).
 *
 * Where the text goes is the program's choice (log_set_sink): the daemon writes to the standard
 * error or the journal, the simulator keeps quiet. What a text says never decides anything. */
#pragma once

#include <glib.h>

typedef enum LogLevel
{
  LOG_ERROR,   /* something is lost, or a member must leave */
  LOG_WARNING, /* something unusual that an operator wants to know */
  LOG_NOTICE,  /* the ordinary milestones: started, view changed, joined */
  LOG_INFO,    /* connections come and go */
  LOG_DEBUG
} LogLevel;

extern LogLevel log_level;

/* `member` is the member's name or NULL; `text` has no line end. */
typedef void (*LogSink) (LogLevel level, const char *member, const char *text, gpointer user_data);

/* NULL: say nothing. That is also the start. */
void log_set_sink (LogSink sink, gpointer user_data);
const char *log_level_name (LogLevel level);
/* FALSE: no such level. */
gboolean log_level_from_name (const char *name, LogLevel *ret_level);

void log_write (LogLevel level, const char *member, const char *format, ...) G_GNUC_PRINTF (3, 4);

#define log_at(level, member, ...)                                                                 \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if ((level) <= log_level)                                                                      \
      log_write ((level), (member), __VA_ARGS__);                                                  \
  }                                                                                                \
  G_STMT_END
#define log_error(member, ...)   log_at (LOG_ERROR, (member), __VA_ARGS__)
#define log_warning(member, ...) log_at (LOG_WARNING, (member), __VA_ARGS__)
#define log_notice(member, ...)  log_at (LOG_NOTICE, (member), __VA_ARGS__)
#define log_info(member, ...)    log_at (LOG_INFO, (member), __VA_ARGS__)
#define log_debug(member, ...)   log_at (LOG_DEBUG, (member), __VA_ARGS__)
