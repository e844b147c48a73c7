/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "daemon/settings.h"
#include "core/base/error.h"
#include "core/base/limits.h"
#include "core/base/suggest.h"

#include <string.h>

typedef gboolean (*Apply) (Settings *settings, const char *value, GError **error);

static gboolean
parse_number (const char *value, guint64 min, guint64 max, const char *unit, guint64 *ret_number,
              GError **error)
{
  if (g_ascii_string_to_unsigned (value, 10, min, max, ret_number, NULL))
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "'%s' is not a number of %s from %" G_GUINT64_FORMAT
                       " to %" G_GUINT64_FORMAT,
                       value, unit, min, max);
}

/* Names appear in command lines and in tables, so they are single words. */
static gboolean
check_name (const char *value, GError **error)
{
  gsize length = strspn (value, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "._-");

  if (length > 0 && length <= LIMIT_MEMBER_NAME && value[length] == '\0')
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "'%s' is not a name of 1 to %u letters, digits, '.', '_' or '-'", value,
                       LIMIT_MEMBER_NAME);
}

static gboolean
apply_members (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, 1, LIMIT_EMBEDDED_MEMBERS, "members", &number, error))
    return FALSE;
  settings->members = (guint) number;
  if (settings->expected_is_given)
    return TRUE;
  settings->node->expected_members = (guint) number;
  node_config_choose_voters (settings->node);
  return TRUE;
}

static gboolean
apply_transport (Settings *settings, const char *value, GError **error)
{
  if (g_str_equal (value, "sim"))
    settings->transport = TRANSPORT_KIND_SIM;
  else if (g_str_equal (value, "cpg"))
    settings->transport = TRANSPORT_KIND_CPG;
  else
    return system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not sim or cpg", value);
#ifndef WITH_CPG
  if (settings->transport == TRANSPORT_KIND_CPG)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "this consortd was built --without-cpg, it cannot use corosync");
#endif
  return TRUE;
}

static gboolean
apply_expected_members (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, 1, LIMIT_GROUP_MEMBERS, "members", &number, error))
    return FALSE;
  settings->expected_is_given = TRUE;
  settings->node->expected_members = (guint) number;
  return TRUE;
}

static gboolean
apply_voters (Settings *settings, const char *value, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (value, ",", 0);
  g_autoptr (GArray) voters = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; texts[i] != NULL; i++)
    {
      guint64 number;
      guint32 node;

      if (!parse_number (g_strstrip (texts[i]), 1, G_MAXUINT32, "a node", &number, error))
        return FALSE;
      node = (guint32) number;
      g_array_append_val (voters, node);
    }
  g_array_set_size (settings->node->voters, 0);
  g_array_append_vals (settings->node->voters, voters->data, voters->len);
  return TRUE;
}

static gboolean
apply_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
  return TRUE;
}

static gboolean
apply_name (Settings *settings, const char *value, GError **error)
{
  settings->named = TRUE;
  return check_name (value, error) && apply_text (&settings->node->name, value);
}

static gboolean
apply_cluster (Settings *settings, const char *value, GError **error)
{
  return check_name (value, error) && apply_text (&settings->node->cluster_name, value);
}

static gboolean
apply_listen (Settings *settings, const char *value, GError **error)
{
  g_auto (GStrv) texts = g_strsplit (value, ",", 0);
  g_autoptr (GArray) addresses = g_array_new (FALSE, FALSE, sizeof (ListenAddress));

  for (guint i = 0; texts[i] != NULL; i++)
    {
      ListenAddress address;

      if (!listen_address_parse (g_strstrip (texts[i]), &address, error))
        return FALSE;
      g_array_append_val (addresses, address);
    }
  if (addresses->len > LIMIT_EMBEDDED_MEMBERS)
    return system_error (error, SYSTEM_ERROR_SETTING, "more than %u addresses",
                         LIMIT_EMBEDDED_MEMBERS);
  g_array_unref (settings->listen);
  settings->listen = g_steal_pointer (&addresses);
  return TRUE;
}

static gboolean
apply_control (Settings *settings, const char *value, GError **error)
{
  if (value[0] == '\0')
    return system_error (error, SYSTEM_ERROR_SETTING, "the path is empty");
  return apply_text (&settings->control, value);
}

static gboolean
apply_log_level (Settings *settings, const char *value, GError **error)
{
  static const char *const known[] = { "error", "warning", "notice", "info", "debug" };
  g_autofree char *suggestion = NULL;

  if (log_level_from_name (value, &settings->log_level))
    return TRUE;
  suggestion = suggest_text (value, known, G_N_ELEMENTS (known));
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "'%s' is not error, warning, notice, info or debug%s", value, suggestion);
}

static gboolean
apply_log_format (Settings *settings, const char *value, GError **error)
{
  if (g_str_equal (value, "text"))
    settings->log_format = LOG_FORMAT_TEXT;
  else if (g_str_equal (value, "json"))
    settings->log_format = LOG_FORMAT_JSON;
  else
    return system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not text or json", value);
  return TRUE;
}

static gboolean
apply_heartbeat (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, 0, G_MAXUINT16, "seconds", &number, error))
    return FALSE;
  settings->node->heartbeat_seconds = (guint) number;
  return TRUE;
}

static gboolean
apply_frame_max (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, LIMIT_FRAME_MIN, LIMIT_FRAME_MAX, "bytes", &number, error))
    return FALSE;
  settings->node->frame_max = (guint32) number;
  return TRUE;
}

static gboolean
apply_channel_max (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, 1, LIMIT_CHANNEL_MAX, "channels", &number, error))
    return FALSE;
  settings->node->channel_max = (guint16) number;
  return TRUE;
}

static gboolean
apply_envelope_size (Settings *settings, const char *value, GError **error)
{
  guint64 number;

  if (!parse_number (value, LIMIT_ENVELOPE_FILL_MIN, LIMIT_ENVELOPE_FILL_MAX, "bytes", &number,
                     error))
    return FALSE;
  settings->node->envelope_fill = (gsize) number;
  return TRUE;
}

static gboolean
apply_reply_when (Settings *settings, const char *value, GError **error)
{
  if (g_str_equal (value, "majority"))
    settings->node->reply_when = REPLY_WHEN_MAJORITY;
  else if (g_str_equal (value, "self"))
    settings->node->reply_when = REPLY_WHEN_SELF;
  else if (g_str_equal (value, "all"))
    settings->node->reply_when = REPLY_WHEN_ALL;
  else
    return system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not majority, self or all", value);
  return TRUE;
}

static gboolean
apply_no_quorum_policy (Settings *settings, const char *value, GError **error)
{
  if (!g_str_equal (value, "suspend") && !g_str_equal (value, "ignore"))
    return system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not suspend or ignore", value);
  settings->node->ignore_quorum = g_str_equal (value, "ignore");
  return TRUE;
}

static gboolean
apply_follow_votequorum (Settings *settings, const char *value, GError **error)
{
  if (!g_str_equal (value, "yes") && !g_str_equal (value, "no"))
    return system_error (error, SYSTEM_ERROR_SETTING, "'%s' is not yes or no", value);
  settings->follow_votequorum = g_str_equal (value, "yes");
  return TRUE;
}

static const char *const names[] = {
  "members",          "name",       "cluster",           "listen",    "control",
  "log-level",        "log-format", "heartbeat",         "frame-max", "channel-max",
  "envelope-size",    "reply-when", "no-quorum-policy",  "transport", "group",
  "expected-members", "voters",     "follow-votequorum",
};

static const Apply applies[G_N_ELEMENTS (names)] = {
  apply_members,          apply_name,          apply_cluster,
  apply_listen,           apply_control,       apply_log_level,
  apply_log_format,       apply_heartbeat,     apply_frame_max,
  apply_channel_max,      apply_envelope_size, apply_reply_when,
  apply_no_quorum_policy, apply_transport,     apply_cluster,
  apply_expected_members, apply_voters,        apply_follow_votequorum,
};

Settings *
settings_new (void)
{
  Settings *settings = g_new0 (Settings, 1);

  settings->members = 1;
  settings->follow_votequorum = TRUE;
  settings->node = node_config_new ("A");
  settings->listen = g_array_new (FALSE, FALSE, sizeof (ListenAddress));
  settings->log_level = LOG_NOTICE;
  apply_listen (settings, "127.0.0.1:5672", NULL);
  return settings;
}

void
settings_free (Settings *settings)
{
  node_config_free (settings->node);
  g_array_unref (settings->listen);
  g_free (settings->control);
  g_free (settings);
}

const char *const *
settings_names (guint *ret_n)
{
  *ret_n = G_N_ELEMENTS (names);
  return names;
}

gboolean
settings_apply (Settings *settings, const char *name, const char *value, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], name))
      return applies[i](settings, value, error);
  g_assert_not_reached ();
}

/* What one transport asks for, and the other has no use for. */
static gboolean
check_transport (const Settings *settings, GError **error)
{
  switch (settings->transport)
    {
    case TRANSPORT_KIND_SIM:
      if (settings->node->expected_members != settings->members)
        return system_error (error, SYSTEM_ERROR_SETTING,
                             "%u expected members: the other ones can only come over corosync "
                             "(transport cpg)",
                             settings->node->expected_members);
      return TRUE;
    case TRANSPORT_KIND_CPG:
      if (settings->members > 1)
        return system_error (error, SYSTEM_ERROR_SETTING,
                             "%u members in one process: that is for transport sim",
                             settings->members);
      if (!settings->expected_is_given)
        return system_error (error, SYSTEM_ERROR_SETTING,
                             "transport cpg: say how many members the cluster has "
                             "(expected-members), a majority of them serves");
      return TRUE;
    }
  g_assert_not_reached ();
}

gboolean
settings_check (const Settings *settings, GError **error)
{
  const ListenAddress *first = &g_array_index (settings->listen, ListenAddress, 0);
  guint port = listen_address_port (first);

  if (settings->members > 1 && settings->listen->len > 1
      && settings->listen->len != settings->members)
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "%u addresses for %u members: give one (the first member's; each next "
                         "member takes the next port) or one for each",
                         settings->listen->len, settings->members);
  if (settings->listen->len == 1 && port + settings->members - 1 > G_MAXUINT16)
    return system_error (error, SYSTEM_ERROR_SETTING, "no %u ports from %u on", settings->members,
                         port);
  if (settings->members > 1 && !g_str_equal (settings->node->name, "A"))
    return system_error (error, SYSTEM_ERROR_SETTING,
                         "a name is for an only member: %u members are called A, B, C ...",
                         settings->members);
  return check_transport (settings, error) && node_config_check (settings->node, error);
}

char *
settings_member_name (const Settings *settings, guint index)
{
  if (settings->members == 1 && settings->transport == TRANSPORT_KIND_CPG && !settings->named
      && check_name (g_get_host_name (), NULL))
    return g_strdup (g_get_host_name ());
  if (settings->members == 1)
    return g_strdup (settings->node->name);
  return g_strdup_printf ("%c", 'A' + (char) index);
}

GArray *
settings_member_addresses (const Settings *settings, guint index)
{
  GArray *addresses = g_array_new (FALSE, FALSE, sizeof (ListenAddress));
  ListenAddress address;
  guint port;

  g_assert (index < settings->members);
  if (settings->members == 1)
    return g_array_append_vals (addresses, settings->listen->data, settings->listen->len);
  address = g_array_index (settings->listen, ListenAddress, settings->listen->len > 1 ? index : 0);
  port = listen_address_port (&address);
  if (settings->listen->len == 1 && port != 0)
    listen_address_set_port (&address, port + index);
  return g_array_append_val (addresses, address);
}
