/* SPDX-License-Identifier: MIT */
#include "daemon/control_commands.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/management/management.h"

#include <string.h>

static void
append_json_list (GString *json, const char *comma_separated)
{
  g_auto (GStrv) parts = g_strsplit (comma_separated, ", ", 0);

  g_string_append_c (json, '[');
  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append_printf (json, "%s\"%s\"", i > 0 ? ", " : "", parts[i]);
  g_string_append_c (json, ']');
}

/* Names and addresses have no character that JSON would want escaped (settings.c). */
static void
append_status_json (GString *json, EmbeddedMember *member, const char *node_status)
{
  ClientStatistics statistics = embedded_member_statistics (member);
  g_autofree char *addresses = embedded_member_addresses (member);

  g_string_append_printf (
      json, "{\"member\": \"%s\", \"up\": %s, \"listen\": ", embedded_member_name (member),
      embedded_member_node (member) != NULL ? "true" : "false");
  append_json_list (json, addresses);
  g_string_append_printf (
      json,
      ", \"sockets\": %u, \"accepted\": %" G_GUINT64_FORMAT ", \"bytes_read\": %" G_GUINT64_FORMAT
      ", \"bytes_written\": %" G_GUINT64_FORMAT ", \"node\": %s}",
      embedded_member_n_clients (member), statistics.accepted, statistics.bytes_read,
      statistics.bytes_written, node_status != NULL ? node_status : "null");
}

static void
append_status_text (GString *text, EmbeddedMember *member, const char *node_status)
{
  ClientStatistics statistics = embedded_member_statistics (member);
  g_autofree char *addresses = embedded_member_addresses (member);
  const char *name = embedded_member_name (member);

  if (node_status == NULL)
    g_string_append_printf (text, "member %s is down (consortctl member restart %s)\n", name, name);
  else
    g_string_append_printf (
        text,
        "member %s on %s, %u sockets, %" G_GUINT64_FORMAT " accepted, %" G_GUINT64_FORMAT
        " bytes read, %" G_GUINT64_FORMAT " written\n%s\n",
        name, addresses, embedded_member_n_clients (member), statistics.accepted,
        statistics.bytes_read, statistics.bytes_written, node_status);
}

static gboolean
append_status (GString *text, EmbeddedMember *member, gboolean json, GError **error)
{
  Node *node = embedded_member_node (member);
  g_autofree char *node_status = NULL;

  if (node != NULL)
    {
      node_status
          = management_run (node, "status", json ? MANAGEMENT_JSON : MANAGEMENT_TEXT, error);
      if (node_status == NULL)
        return FALSE;
      g_strchomp (node_status);
    }
  if (json)
    append_status_json (text, member, node_status);
  else
    append_status_text (text, member, node_status);
  return TRUE;
}

static char *
status_of_one (Embedded *embedded, const ControlRequest *request, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, request->member, error);
  g_autoptr (GString) text = g_string_new (NULL);

  if (member == NULL || !append_status (text, member, request->json, error))
    return NULL;
  if (request->json)
    g_string_append_c (text, '\n');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
status_of_all (Embedded *embedded, const ControlRequest *request, GError **error)
{
  g_autoptr (GString) text = g_string_new (request->json ? "[" : NULL);

  for (guint i = 0; i < embedded_n_members (embedded); i++)
    {
      if (i > 0)
        g_string_append (text, request->json ? ",\n " : "\n");
      if (!append_status (text, embedded_peek_member (embedded, i), request->json, error))
        return NULL;
    }
  if (request->json)
    g_string_append (text, "]\n");
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* An active one if there is one, else any that is up: it will say itself what it cannot tell. */
static Node *
any_node (Embedded *embedded, GError **error)
{
  Node *any = NULL;

  for (guint i = 0; i < embedded_n_members (embedded); i++)
    {
      Node *node = embedded_member_node (embedded_peek_member (embedded, i));

      if (node != NULL && node_state (node) == NODE_ACTIVE)
        return node;
      if (any == NULL)
        any = node;
    }
  if (any == NULL)
    system_error (error, SYSTEM_ERROR_REFUSED, "all members are down");
  return any;
}

static Node *
node_of (Embedded *embedded, const char *name, GError **error)
{
  EmbeddedMember *member = embedded_find_member (embedded, name, error);

  if (member != NULL && embedded_member_node (member) == NULL)
    system_error (error, SYSTEM_ERROR_REFUSED, "member %s is down", name);
  return member == NULL ? NULL : embedded_member_node (member);
}

static char *
ask (Embedded *embedded, const ControlRequest *request, GError **error)
{
  Node *node = request->member == NULL ? any_node (embedded, error)
                                       : node_of (embedded, request->member, error);

  if (node == NULL)
    return NULL;
  return management_run (node, request->command, request->json ? MANAGEMENT_JSON : MANAGEMENT_TEXT,
                         error);
}

static char *
report (const ControlRequest *request, const char *name, gboolean up)
{
  if (request->json)
    return g_strdup_printf ("{\"member\": \"%s\", \"up\": %s}\n", name, up ? "true" : "false");
  return g_strdup_printf ("member %s %s\n", name, up ? "restarted" : "crashed");
}

/* The only one, where none is named. */
static const char *
name_of_one (Embedded *embedded, const ControlRequest *request, GError **error)
{
  if (request->member != NULL)
    return request->member;
  if (embedded_n_members (embedded) == 1)
    return embedded_member_name (embedded_peek_member (embedded, 0));
  system_error (error, SYSTEM_ERROR_REFUSED, "say which member: --member NAME");
  return NULL;
}

static char *
tell (const ControlRequest *request, const char *name, const char *text)
{
  return g_strdup_printf (
      request->json ? "{\"member\": \"%s\", \"text\": \"%s\"}\n" : "member %s: %s\n", name, text);
}

static char *
drain (Embedded *embedded, const ControlRequest *request, const char *seconds_text, GError **error)
{
  const char *name = name_of_one (embedded, request, error);
  g_autofree char *text = NULL;
  guint64 seconds = LIMIT_DRAIN_SECONDS;

  if (name == NULL)
    return NULL;
  if (seconds_text[0] != '\0'
      && !g_ascii_string_to_unsigned (seconds_text, 10, 0, LIMIT_DRAIN_SECONDS_MAX, &seconds, NULL))
    {
      system_error (error, SYSTEM_ERROR_REFUSED, "'%s' is not a number of seconds up to %d",
                    seconds_text, LIMIT_DRAIN_SECONDS_MAX);
      return NULL;
    }
  text = embedded_drain (embedded, name, (guint) seconds, error);
  return text == NULL ? NULL : tell (request, name, text);
}

static char *
undrain (Embedded *embedded, const ControlRequest *request, GError **error)
{
  const char *name = name_of_one (embedded, request, error);

  if (name == NULL || !embedded_undrain (embedded, name, error))
    return NULL;
  return tell (request, name, "serves again, as soon as it has the state");
}

/* A member's answer, or why there is none, as a line. TRUE: it serves. */
static gboolean
append_health (GString *text, EmbeddedMember *member, const ControlRequest *request)
{
  Node *node = embedded_member_node (member);
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  if (node == NULL)
    {
      g_string_append_printf (text, "member %s: down\n", embedded_member_name (member));
      return FALSE;
    }
  line = management_run (node, "health", request->json ? MANAGEMENT_JSON : MANAGEMENT_TEXT, &error);
  if (line != NULL)
    g_string_append (text, line);
  else
    g_string_append_printf (text, "%s\n", error->message);
  return line != NULL;
}

/* Of objects, a line each. */
static void
make_array (GString *text)
{
  g_string_truncate (text, text->len - 1);
  g_string_replace (text, "\n", ",\n ", 0);
  g_string_prepend_c (text, '[');
  g_string_append (text, "]\n");
}

/* As good as the worst member of this process. */
static char *
health (Embedded *embedded, const ControlRequest *request, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean good = TRUE;

  if (request->member != NULL)
    {
      EmbeddedMember *member = embedded_find_member (embedded, request->member, error);

      if (member == NULL)
        return NULL;
      good = append_health (text, member, request);
    }
  for (guint i = 0; request->member == NULL && i < embedded_n_members (embedded); i++)
    if (!append_health (text, embedded_peek_member (embedded, i), request))
      good = FALSE;
  if (good && request->json && request->member == NULL)
    make_array (text);
  if (good)
    return g_string_free (g_steal_pointer (&text), FALSE);
  g_string_truncate (text, text->len - 1);
  system_error (error, SYSTEM_ERROR_REFUSED, "%s", text->str);
  return NULL;
}

/* What one member is to be asked, and not just any that is active. */
static char *
ask_one (Embedded *embedded, const ControlRequest *request, GError **error)
{
  ControlRequest one = *request;

  one.member = name_of_one (embedded, request, error);
  return one.member == NULL ? NULL : ask (embedded, &one, error);
}

/* NULL: the request is another one. */
static const char *
argument_of (const ControlRequest *request, const char *words)
{
  gsize length = strlen (words);
  const char *rest = request->command + length;

  if (!g_str_has_prefix (request->command, words) || (*rest != '\0' && *rest != ' '))
    return NULL;
  return *rest == ' ' ? rest + 1 : rest;
}

char *
control_commands_run (gpointer user_data, const ControlRequest *request, GError **error)
{
  Embedded *embedded = user_data;
  const char *argument;

  if (g_str_equal (request->command, "status"))
    return request->member == NULL ? status_of_all (embedded, request, error)
                                   : status_of_one (embedded, request, error);
  if (g_str_equal (request->command, "health"))
    return health (embedded, request, error);
  if ((argument = argument_of (request, "drain")) != NULL)
    return drain (embedded, request, argument, error);
  if (g_str_equal (request->command, "undrain"))
    return undrain (embedded, request, error);
  if (argument_of (request, "form") != NULL)
    return ask_one (embedded, request, error);
  if ((argument = argument_of (request, "member crash")) != NULL)
    return embedded_crash (embedded, argument, error) ? report (request, argument, FALSE) : NULL;
  if ((argument = argument_of (request, "member restart")) != NULL)
    return embedded_restart (embedded, argument, error) ? report (request, argument, TRUE) : NULL;
  return ask (embedded, request, error);
}
