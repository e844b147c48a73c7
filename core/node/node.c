/* SPDX-License-Identifier: MIT */
#include "core/node/node_parts.h"
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/log.h"

/* Members whose majorities are not the same are not of one cluster: nothing of one is heard by the
 * other. Voters may be named in any order. */
static guint64
cluster_id_of (const NodeConfig *config)
{
  guint64 voters = 0;

  for (guint i = 0; i < config->voters->len; i++)
    voters += digest_combine (0, g_array_index (config->voters, guint32, i));
  return digest_combine (
      digest_combine (digest_text (0, config->cluster_name), config->expected_members), voters);
}

Node *
node_new (const NodeConfig *config, const NodeHost *host)
{
  Node *node = g_new0 (Node, 1);
  ClusterSettings settings;
  ChainsContext chains;

  g_assert (node_config_check (config, NULL));
  node->config = node_config_copy (config);
  node->host = host;
  node->broker = broker_new ();
  node->sessions = session_map_new (node->broker);
  node->clients = g_ptr_array_new_with_free_func ((GDestroyNotify) client_free);
  node->clients_by_connection = id_map_new ();
  node->touched = g_ptr_array_new ();
  node->gated = g_ptr_array_new ();
  node->client_tick_us = ENV_NEVER;
  settings = (ClusterSettings){
    .member = node->config->name,
    .group = node->config->cluster_name,
    .cluster_id = cluster_id_of (node->config),
    .expected = node->config->expected_members,
    .voters = (const guint32 *) node->config->voters->data,
    .n_voters = node->config->voters->len,
    .reply_when = node->config->reply_when,
    .ignore_quorum = node->config->ignore_quorum,
    .envelope_fill = node->config->envelope_fill,
    .state_chunk = node->config->state_chunk,
    .join_backlog = node->config->join_backlog,
    .rules_off = host->rules_off,
    .env = host->env,
    .trace = host->trace,
    .fault_sites = host->fault_sites,
  };
  node->cluster = cluster_new (&settings, &node_application, node);
  chains = (ChainsContext){
    .outbox = cluster_outbox (node->cluster),
    .cluster = node->cluster,
    .trace = host->trace,
    .member = node->config->name,
  };
  node->chains = chains_new (&chains);
  node_client_port_init (node);
  return node;
}

void
node_free (Node *node)
{
  session_map_free (node->sessions);
  g_ptr_array_unref (node->clients);
  id_map_free (node->clients_by_connection);
  g_ptr_array_unref (node->touched);
  g_ptr_array_unref (node->gated);
  cluster_free (node->cluster);
  chains_free (node->chains);
  broker_free (node->broker);
  node_config_free (node->config);
  g_free (node->drain);
  g_free (node->why_not_serving);
  g_free (node);
}

void
node_start (Node *node)
{
  cluster_start (node->cluster);
}

static void
close_all_clients (Node *node, const char *why)
{
  for (guint i = 0; i < node->clients->len; i++)
    client_force_close (node->clients->pdata[i], REPLY_CONNECTION_FORCED, why);
}

void
node_stop (Node *node)
{
  close_all_clients (node, node->drain != NULL ? node->drain : "this member is stopping");
  cluster_stop (node->cluster);
}

gboolean
node_is_stopped (const Node *node)
{
  if (cluster_state (node->cluster) != NODE_STOPPED)
    return FALSE;
  for (guint i = 0; i < node->clients->len; i++)
    {
      const Client *client = node->clients->pdata[i];

      if (!client_is_finished (client) || client_has_output (client))
        return FALSE;
    }
  return TRUE;
}

/* --- clients ---------------------------------------------------------------------------------- */

Client *
node_client_connected (Node *node, const char *peer)
{
  Client *client = client_new (&node->port, peer);

  if (node->clients->len == 0)
    node->client_tick_us = env_now_us (node->host->env) + LIMIT_CLIENT_TICK_US;
  g_ptr_array_add (node->clients, client);
  return client;
}

Client *
node_lookup_client (Node *node, ConnectionId id)
{
  return id_map_lookup (node->clients_by_connection, id_key_of_connection (id));
}

void
node_client_gone (Node *node, Client *client)
{
  Connection *connection = session_map_lookup_connection (node->sessions, client->id);

  if (!reply_gate_is_empty (client->gate))
    trace_reached (node->host->trace, node->config->name, "reply-lost");
  client_end_of_file (client);
  if (connection != NULL)
    connection->client = NULL;
  if (!connection_id_is_none (client->id))
    id_map_remove (node->clients_by_connection, id_key_of_connection (client->id));
  if (client->touched)
    g_ptr_array_remove (node->touched, client);
  if (client->gated)
    g_ptr_array_remove (node->gated, client);
  g_ptr_array_remove (node->clients, client);
}

guint64
node_draw_counter (Node *node)
{
  return ++node->last_counter;
}

void
node_set_refusal (Node *node, const char *text)
{
  node->refusal = text;
}

/* --- what an operator may order -----------------------------------------------------------------
 */

const char *
node_forget (Node *node, guint32 node_id)
{
  return cluster_forget (node->cluster, node_id);
}

char *
node_why_not_form (const Node *node)
{
  return cluster_why_not_form (node->cluster);
}

void
node_form_by_force (Node *node)
{
  cluster_form_by_force (node->cluster);
}

void
node_drain (Node *node, const char *why)
{
  g_free (node->drain);
  node->drain = g_strdup (why);
}

/* --- the end of a turn --------------------------------------------------------------------------
 */

void
node_flush (Node *node)
{
  gboolean is_full;

  cluster_flush (node->cluster);
  is_full = multicast_outbox_is_full (cluster_outbox (node->cluster));
  for (guint i = 0; node->was_full && !is_full && i < node->clients->len; i++)
    {
      Client *client = node->clients->pdata[i];

      if (client->held)
        client_touch (client);
    }
  if (is_full && !node->was_full)
    trace_reached (node->host->trace, node->config->name, "outbox-full");
  node->was_full = is_full;
}

Client *
node_take_touched (Node *node)
{
  Client *client;

  if (node->touched->len == 0)
    return NULL;
  client = node->touched->pdata[node->touched->len - 1];
  g_ptr_array_set_size (node->touched, (gint) node->touched->len - 1);
  client->touched = FALSE;
  return client;
}

/* --- time ------------------------------------------------------------------------------------- */

gint64
node_next_deadline_us (const Node *node)
{
  gint64 clients = node->clients->len > 0 ? node->client_tick_us : ENV_NEVER;

  return MIN (clients, cluster_next_deadline_us (node->cluster));
}

void
node_tick (Node *node)
{
  gint64 now = env_now_us (node->host->env);

  cluster_tick (node->cluster, now);
  if (node->clients->len == 0 || now < node->client_tick_us)
    return;
  node->client_tick_us = now + LIMIT_CLIENT_TICK_US;
  for (guint i = 0; i < node->clients->len; i++)
    client_tick (node->clients->pdata[i], now);
}

/* --- looking ---------------------------------------------------------------------------------- */

NodeState
node_state (const Node *node)
{
  return cluster_state (node->cluster);
}

const char *
node_name (const Node *node)
{
  return node->config->name;
}

guint64
node_position (const Node *node)
{
  return cluster_position (node->cluster);
}

guint64
node_agreed_position (const Node *node)
{
  return cluster_agreed (node->cluster);
}

Incarnation
node_incarnation (const Node *node)
{
  return cluster_incarnation (node->cluster);
}

static guint64
combine (guint64 broker, guint64 sessions, guint64 cluster)
{
  return digest_combine (digest_combine (broker, sessions), cluster);
}

guint64
node_digest (Node *node)
{
  return combine (broker_digest (node->broker), session_map_digest (node->sessions),
                  cluster_digest (node->cluster));
}

guint64
node_digest_in_full (Node *node)
{
  return combine (broker_digest_in_full (node->broker), session_map_digest_in_full (node->sessions),
                  cluster_digest_in_full (node->cluster));
}
