/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"

#include <string.h>

G_DEFINE_QUARK (consort_reply_error, reply_error)
G_DEFINE_QUARK (consort_system_error, system_error)

#define REPLY_TEXT_MAX 255

typedef enum Scope
{
  CHANNEL,
  CONNECTION
} Scope;

static const struct
{
  guint code;
  const char *name;
  Scope scope;
} reply_codes[] = {
#define REPLY_CODE(name, code, scope) { code, #name, scope },
#include "core/base/reply_codes.def"
#undef REPLY_CODE
};

G_GNUC_PRINTF (4, 0)
static void
set_error_valist (GError **error, GQuark domain, int code, const char *format, va_list args)
{
  g_autofree char *text = g_strdup_vprintf (format, args);

  g_set_error_literal (error, domain, code, text);
}

gboolean
reply_error (GError **error, ReplyCode code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_error_valist (error, REPLY_ERROR, (int) code, format, args);
  va_end (args);
  return FALSE;
}

gboolean
system_error (GError **error, SystemError code, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_error_valist (error, SYSTEM_ERROR, (int) code, format, args);
  va_end (args);
  return FALSE;
}

const char *
reply_code_name (guint code)
{
  for (guint i = 0; i < G_N_ELEMENTS (reply_codes); i++)
    if (reply_codes[i].code == code)
      return reply_codes[i].name;
  return NULL;
}

gboolean
reply_code_is_hard (guint code)
{
  for (guint i = 0; i < G_N_ELEMENTS (reply_codes); i++)
    if (reply_codes[i].code == code)
      return reply_codes[i].scope == CONNECTION;
  return TRUE;
}

char *
reply_error_text (const GError *error)
{
  char *text;

  g_assert (error->domain == REPLY_ERROR);
  text = g_strdup_printf ("%s - %s", reply_code_name ((guint) error->code), error->message);
  if (strlen (text) > REPLY_TEXT_MAX)
    {
      gsize end = REPLY_TEXT_MAX;

      while (end > 0 && ((guchar) text[end] & 0xc0) == 0x80)
        end--;
      text[end] = '\0';
    }
  return text;
}
