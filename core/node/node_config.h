/* SPDX-License-Identifier: MIT */
/* The settings of one member, as typed values; reading files and options is the daemon's work.
 * Local: name, limits of sockets. Cluster: all members must be given the same; a member whose
 * cluster id differs is not heard. */
#pragma once

#include "core/cluster/reply_when.h"

typedef struct NodeUser
{
  char *name;
  char *password;
} NodeUser;

typedef struct NodeConfig
{
  char *name;             /* of this member, for people: "A" */
  char *cluster_name;     /* the group's name; members of other clusters are not heard */
  guint expected_members; /* of the cluster, present or not; a majority of them serves; >= 1 */
  GArray *voters;         /* of guint32: nodes that vote and report; empty: all of them */
  ReplyWhen reply_when;
  gboolean ignore_quorum;  /* no-quorum-policy = ignore: serve without a majority */
  guint heartbeat_seconds; /* offered to clients; 0: none */
  guint32 frame_max;
  guint16 channel_max;
  gsize envelope_fill; /* an envelope is closed at this many bytes */
  gsize state_chunk;   /* see ClusterSettings; changed by tests only */
  gsize join_backlog;  /* likewise */
  GArray *users;       /* of NodeUser */
} NodeConfig;

/* Defaults: cluster "consort", one member, user guest with password guest, limits.h for the rest.
 */
NodeConfig *node_config_new (const char *name);
NodeConfig *node_config_copy (const NodeConfig *config);
void node_config_free (NodeConfig *config);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (NodeConfig, node_config_free)

void node_config_clear_users (NodeConfig *config);
void node_config_add_user (NodeConfig *config, const char *name, const char *password);

/* Voters for members on nodes 1, 2, 3 ... (the simulated network's): all, or the first
 * LIMIT_VOTERS of more. */
void node_config_choose_voters (NodeConfig *config);

/* SYSTEM_ERROR_SETTING, naming the setting and what was expected. */
gboolean node_config_check (const NodeConfig *config, GError **error);
