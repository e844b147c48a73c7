/* SPDX-License-Identifier: MIT */
/* What this member's clients ask of it: their ends of connections and sessions enter the order
 * here. */
#include "core/node/node_parts.h"

const char *
node_why_not_serving (Node *node)
{
  NodeState state = cluster_state (node->cluster);
  g_autofree char *why = NULL;

  if (node->drain != NULL && (state == NODE_ACTIVE || state == NODE_STOPPED))
    return node->drain;
  why = cluster_why_not_active (node->cluster);
  if (why == NULL)
    return node->refusal;
  g_free (node->why_not_serving);
  node->why_not_serving = g_steal_pointer (&why);
  return node->why_not_serving;
}

static const char *
why_not_serving (gpointer user_data)
{
  return node_why_not_serving (user_data);
}

static gboolean
user_is_known (gpointer user_data, Slice name, Slice password)
{
  const Node *node = user_data;
  gboolean is_known = FALSE;

  for (guint i = 0; i < node->config->users->len; i++)
    {
      const NodeUser *user = &g_array_index (node->config->users, NodeUser, i);

      if (slice_equal_text (name, user->name) && slice_equal_text (password, user->password))
        is_known = TRUE;
    }
  return is_known;
}

static gboolean
is_full (gpointer user_data)
{
  Node *node = user_data;

  if (!multicast_outbox_is_full (cluster_outbox (node->cluster)))
    return FALSE;
  node->was_full = TRUE;
  return TRUE;
}

static ConnectionId
draw_connection_id (gpointer user_data)
{
  Node *node = user_data;

  return (ConnectionId){ cluster_incarnation (node->cluster), node_draw_counter (node) };
}

static void
draw_session (gpointer user_data, SessionOpening *ret_opening)
{
  Node *node = user_data;
  Env *env = node->host->env;

  *ret_opening = (SessionOpening){
    .id = { cluster_incarnation (node->cluster), node_draw_counter (node) },
    .secret = { env_random_u64 (env), env_random_u64 (env) },
    .name_seed = env_random_u64 (env),
  };
}

/* A place for one entry; NULL: this member is not active, and nothing of its clients is in the
 * order any more. */
static ByteWriter *
begin_entry (Node *node)
{
  if (cluster_state (node->cluster) != NODE_ACTIVE)
    return NULL;
  return multicast_outbox_entry (cluster_outbox (node->cluster));
}

static void
end_entry (Node *node)
{
  multicast_outbox_done (cluster_outbox (node->cluster));
}

static void
on_opening (gpointer user_data, Client *client, const ConnectionOpening *opening)
{
  Node *node = user_data;
  ByteWriter *writer = begin_entry (node);

  id_map_insert (node->clients_by_connection, id_key_of_connection (opening->id), client);
  if (writer == NULL)
    return;
  envelope_put_connection_opened (writer, opening);
  end_entry (node);
}

static void
put_end (Node *node, void (*put) (ByteWriter *writer, ConnectionId id), ConnectionId id)
{
  ByteWriter *writer = begin_entry (node);

  if (writer == NULL)
    return;
  put (writer, id);
  end_entry (node);
}

static void
on_closed (gpointer user_data, ConnectionId id)
{
  put_end (user_data, envelope_put_connection_closed, id);
}

static void
on_lost (gpointer user_data, ConnectionId id)
{
  put_end (user_data, envelope_put_connection_lost, id);
}

static void
on_failed (gpointer user_data, ConnectionId id, const GError *error, guint16 class_id,
           guint16 method_id)
{
  Node *node = user_data;
  ByteWriter *writer = begin_entry (node);

  if (writer == NULL)
    return;
  envelope_put_connection_failed (writer, id, error, class_id, method_id);
  end_entry (node);
}

static void
on_session_opening (gpointer user_data, ConnectionId id, const SessionOpening *opening)
{
  Node *node = user_data;
  ByteWriter *writer = begin_entry (node);

  if (writer == NULL)
    return;
  envelope_put_session_opened (writer, id, opening);
  end_entry (node);
}

static void
on_drained (gpointer user_data, ConnectionId id, guint32 bytes)
{
  Node *node = user_data;
  ByteWriter *writer = begin_entry (node);

  if (writer == NULL)
    return;
  envelope_put_credit (writer, id, bytes);
  end_entry (node);
}

static void
on_gated (gpointer user_data, Client *client)
{
  Node *node = user_data;

  if (client->gated)
    return;
  client->gated = TRUE;
  g_ptr_array_add (node->gated, client);
}

static void
on_touched (gpointer user_data, Client *client)
{
  Node *node = user_data;

  if (client->touched)
    return;
  client->touched = TRUE;
  g_ptr_array_add (node->touched, client);
}

void
node_client_port_init (Node *node)
{
  node->port = (ClientPort){
    .env = node->host->env,
    .fault_sites = node->host->fault_sites,
    .receive = chains_from_client (node->chains),
    .user_data = node,
    .member = node->config->name,
    .channel_max = node->config->channel_max,
    .frame_max = node->config->frame_max,
    .heartbeat_seconds = (guint16) node->config->heartbeat_seconds,
    .why_not_serving = why_not_serving,
    .user_is_known = user_is_known,
    .is_full = is_full,
    .draw_connection_id = draw_connection_id,
    .draw_session = draw_session,
    .opening = on_opening,
    .closed = on_closed,
    .lost = on_lost,
    .failed = on_failed,
    .session_opening = on_session_opening,
    .drained = on_drained,
    .gated = on_gated,
    .touched = on_touched,
  };
}
