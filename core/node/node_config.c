/* SPDX-License-Identifier: MIT */
#include "core/node/node_config.h"
#include "core/base/error.h"
#include "core/base/limits.h"

#include <string.h>

static void
clear_user (gpointer data)
{
  NodeUser *user = data;

  g_free (user->name);
  g_free (user->password);
}

static GArray *
users_new (void)
{
  GArray *users = g_array_new (FALSE, FALSE, sizeof (NodeUser));

  g_array_set_clear_func (users, clear_user);
  return users;
}

NodeConfig *
node_config_new (const char *name)
{
  NodeConfig *config = g_new0 (NodeConfig, 1);

  config->name = g_strdup (name);
  config->cluster_name = g_strdup ("consort");
  config->expected_members = 1;
  config->heartbeat_seconds = LIMIT_HEARTBEAT_SECONDS;
  config->frame_max = LIMIT_FRAME_MAX;
  config->channel_max = LIMIT_CHANNEL_MAX;
  config->envelope_fill = LIMIT_ENVELOPE_FILL;
  config->state_chunk = LIMIT_STATE_CHUNK;
  config->join_backlog = LIMIT_JOIN_BACKLOG;
  config->voters = g_array_new (FALSE, FALSE, sizeof (guint32));
  config->users = users_new ();
  node_config_add_user (config, "guest", "guest");
  return config;
}

NodeConfig *
node_config_copy (const NodeConfig *config)
{
  NodeConfig *copy = g_memdup2 (config, sizeof *config);

  copy->name = g_strdup (config->name);
  copy->cluster_name = g_strdup (config->cluster_name);
  copy->voters = g_array_copy (config->voters);
  copy->users = users_new ();
  for (guint i = 0; i < config->users->len; i++)
    {
      const NodeUser *user = &g_array_index (config->users, NodeUser, i);

      node_config_add_user (copy, user->name, user->password);
    }
  return copy;
}

void
node_config_free (NodeConfig *config)
{
  g_free (config->name);
  g_free (config->cluster_name);
  g_array_unref (config->voters);
  g_array_unref (config->users);
  g_free (config);
}

void
node_config_clear_users (NodeConfig *config)
{
  g_array_set_size (config->users, 0);
}

void
node_config_add_user (NodeConfig *config, const char *name, const char *password)
{
  NodeUser user = { g_strdup (name), g_strdup (password) };

  g_array_append_val (config->users, user);
}

static gboolean
check_range (const char *setting, guint64 value, guint64 min, guint64 max, GError **error)
{
  if (value >= min && value <= max)
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING,
                       "%s: expected a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
                       ", not %" G_GUINT64_FORMAT,
                       setting, min, max, value);
}

static gboolean
check_name (const char *setting, const char *value, GError **error)
{
  if (value != NULL && value[0] != '\0' && strlen (value) <= LIMIT_MEMBER_NAME)
    return TRUE;
  return system_error (error, SYSTEM_ERROR_SETTING, "%s: expected a name of 1 to %d bytes", setting,
                       LIMIT_MEMBER_NAME);
}

void
node_config_choose_voters (NodeConfig *config)
{
  g_array_set_size (config->voters, 0);
  for (guint32 node = 1; config->expected_members > LIMIT_VOTERS && node <= LIMIT_VOTERS; node++)
    g_array_append_val (config->voters, node);
}

/* All of a few, or named ones of many: everyone's voice costs everyone. */
static gboolean
check_voters (const NodeConfig *config, GError **error)
{
  if (config->voters->len == 0)
    return check_range ("members (where no voters are named)", config->expected_members, 1,
                        LIMIT_VOTES, error);
  return check_range ("voters", config->voters->len, 1,
                      MIN (LIMIT_VOTERS, config->expected_members), error);
}

gboolean
node_config_check (const NodeConfig *config, GError **error)
{
  return check_name ("name", config->name, error)
         && check_name ("cluster", config->cluster_name, error)
         && check_range ("members", config->expected_members, 1, G_MAXUINT16, error)
         && check_voters (config, error)
         && check_range ("heartbeat", config->heartbeat_seconds, 0, G_MAXUINT16, error)
         && check_range ("frame-max", config->frame_max, LIMIT_FRAME_MIN, LIMIT_FRAME_MAX, error)
         && check_range ("channel-max", config->channel_max, 1, LIMIT_CHANNEL_MAX, error)
         && check_range ("envelope-size", config->envelope_fill, LIMIT_ENVELOPE_FILL_MIN,
                         LIMIT_ENVELOPE_FILL_MAX, error);
}
