/* SPDX-License-Identifier: MIT */
#include "daemon/log_setup.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TIME_SIZE 40

typedef void (*Formatter) (GString *line, LogLevel level, const char *member, const char *text);

/* syslog(3)'s numbers, which the journal's prefixes use. */
static const int priorities[] = {
  [LOG_ERROR] = 3, [LOG_WARNING] = 4, [LOG_NOTICE] = 5, [LOG_INFO] = 6, [LOG_DEBUG] = 7,
};

static Formatter formatter;

static void
append_time (GString *line)
{
  gint64 now_us = g_get_real_time ();
  time_t seconds = (time_t) (now_us / G_USEC_PER_SEC);
  char text[TIME_SIZE];
  struct tm parts;

  gmtime_r (&seconds, &parts);
  strftime (text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  g_string_append_printf (line, "%s.%03dZ", text, (int) (now_us % G_USEC_PER_SEC / 1000));
}

/* Texts may quote what a client has sent: nothing of it may begin a line of its own, or steer a
 * terminal. */
static void
append_plain (GString *line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  for (const char *c = valid; *c != '\0'; c++)
    if ((guchar) *c < ' ' || *c == 0x7f)
      g_string_append_printf (line, "\\x%02x", (guint) (guchar) *c);
    else
      g_string_append_c (line, *c);
}

static void
append_json (GString *line, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  g_string_append_c (line, '"');
  for (const char *c = valid; *c != '\0'; c++)
    if ((guchar) *c < ' ' || *c == 0x7f)
      g_string_append_printf (line, "\\u%04x", (guint) (guchar) *c);
    else
      {
        if (*c == '"' || *c == '\\')
          g_string_append_c (line, '\\');
        g_string_append_c (line, *c);
      }
  g_string_append_c (line, '"');
}

static void
format_journal (GString *line, LogLevel level, const char *member, const char *text)
{
  g_string_append_printf (line, "<%d>", priorities[level]);
  if (member != NULL)
    g_string_append_printf (line, "%s: ", member);
  append_plain (line, text);
}

static void
format_text (GString *line, LogLevel level, const char *member, const char *text)
{
  append_time (line);
  g_string_append_printf (line, " %-7s ", log_level_name (level));
  if (member != NULL)
    g_string_append_printf (line, "%s: ", member);
  append_plain (line, text);
}

static void
format_json (GString *line, LogLevel level, const char *member, const char *text)
{
  g_string_append (line, "{\"time\": \"");
  append_time (line);
  g_string_append_printf (line, "\", \"level\": \"%s\", ", log_level_name (level));
  if (member != NULL)
    {
      g_string_append (line, "\"member\": ");
      append_json (line, member);
      g_string_append (line, ", ");
    }
  g_string_append (line, "\"text\": ");
  append_json (line, text);
  g_string_append_c (line, '}');
}

/* systemd.exec(5): JOURNAL_STREAM names the device and inode of the journal's stream; a shell in
 * between may have sent our standard error elsewhere. */
static gboolean
stderr_is_journal (void)
{
  const char *stream = g_getenv ("JOURNAL_STREAM");
  g_autofree char *ours = NULL;
  struct stat found;

  if (stream == NULL || fstat (STDERR_FILENO, &found) != 0)
    return FALSE;
  ours = g_strdup_printf ("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, (guint64) found.st_dev,
                          (guint64) found.st_ino);
  return g_str_equal (stream, ours);
}

/* One write a line, so that lines of several processes do not mix. */
static void
write_line (LogLevel level, const char *member, const char *text, gpointer user_data)
{
  g_autoptr (GString) line = g_string_new (NULL);

  (void) user_data;
  formatter (line, level, member, text);
  g_string_append_c (line, '\n');
  fwrite (line->str, 1, line->len, stderr);
  fflush (stderr);
}

void
log_setup (LogLevel level, LogFormat format)
{
  formatter = format == LOG_FORMAT_JSON ? format_json
              : stderr_is_journal ()    ? format_journal
                                        : format_text;
  log_level = level;
  log_set_sink (write_line, NULL);
}
