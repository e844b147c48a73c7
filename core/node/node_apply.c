/* SPDX-License-Identifier: MIT */
/* What each ordered event does to the replicated state, on every member alike. Only this file and
 * what it calls change it. */
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/base/log.h"
#include "core/node/node_parts.h"

/* The connection an entry speaks of, if the sender may speak for it; NULL: late, or forged. */
static Connection *
connection_of (Node *node, MemberId sender, ConnectionId id)
{
  Connection *connection = session_map_lookup_connection (node->sessions, id);

  if (connection == NULL || !member_id_equal (connection->primary, sender))
    return NULL;
  return connection;
}

static void
apply_opened (Node *node, MemberId sender, Incarnation incarnation, const Entry *entry)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  Connection *connection;
  Client *client = NULL;

  if (entry->connection_id.incarnation != incarnation
      || session_map_lookup_connection (node->sessions, entry->connection_id) != NULL)
    return;
  if (incarnation == cluster_incarnation (node->cluster))
    client = node_lookup_client (node, entry->connection_id);
  connection = connection_open (node->sessions, &entry->opening, sender, &error);
  if (connection != NULL)
    {
      connection->client = client;
      if (client != NULL)
        client_answer_opened (client);
      return;
    }
  if (client == NULL)
    return;
  text = reply_error_text (error);
  client_answer_failed (client, (guint16) error->code, text,
                        method_class_id (PROTOCOL_0_9_1, METHOD_CONNECTION_OPEN),
                        method_method_id (PROTOCOL_0_9_1, METHOD_CONNECTION_OPEN));
}

static void
apply_failed (Connection *connection, const Entry *entry)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = slice_to_text (entry->failure.text);

  g_set_error_literal (&error, REPLY_ERROR, entry->failure.code, text);
  connection_fail (connection, error, entry->failure.class_id, entry->failure.method_id);
}

static void
apply_session_opened (Connection *connection, const Entry *entry)
{
  g_autoptr (GError) error = NULL;

  if (session_map_lookup_session (connection->map, entry->session.id) != NULL)
    return;
  if (session_open (connection, &entry->session, &error) == NULL)
    connection_fail (connection, error, method_class_id (PROTOCOL_0_9_1, METHOD_CHANNEL_OPEN),
                     method_method_id (PROTOCOL_0_9_1, METHOD_CHANNEL_OPEN));
}

static void
apply_frames (Node *node, MemberId sender, const Envelope *envelope, const Entry *entry)
{
  FrameHandler *chain = chains_from_group (node->chains);
  Session *session;

  for (guint i = 0; i < entry->frames.count; i++)
    {
      const EntryFrame *each
          = &g_array_index (envelope->frames, EntryFrame, entry->frames.first + i);
      SessionFrame frame = {
        .sender = sender,
        .session_id = entry->session_id,
        .frame = each->frame,
        .content = each->content,
        .piece_digest = each->digest,
        .position = node->sessions->position,
      };

      if (each->frame.type == FRAME_METHOD)
        frame.method = &g_array_index (envelope->methods, Method, each->method);
      frame_handler_handle (chain, &frame);
    }
  session = session_map_lookup_session (node->sessions, entry->session_id);
  if (session != NULL)
    content_assembler_keep (&session->content);
}

/* The connection ended already, by a mistake that came before: the client, which may have been told
 * only after it asked, is answered all the same. */
static void
answer_late_close (Node *node, const Entry *entry)
{
  Client *client = node_lookup_client (node, entry->connection_id);

  if (entry->type == ENTRY_CONNECTION_CLOSED && client != NULL)
    client_answer_closed (client);
}

static void
apply_entry (Node *node, MemberId sender, const Envelope *envelope, const Entry *entry)
{
  Connection *connection;

  if (entry->type == ENTRY_FRAMES)
    {
      apply_frames (node, sender, envelope, entry);
      return;
    }
  if (entry->type == ENTRY_CONNECTION_OPENED)
    {
      apply_opened (node, sender, envelope->header.incarnation, entry);
      return;
    }
  connection = connection_of (node, sender, entry->connection_id);
  if (connection == NULL)
    {
      answer_late_close (node, entry);
      return;
    }
  switch (entry->type)
    {
    case ENTRY_CONNECTION_CLOSED:
      connection_close_as_asked (connection);
      break;
    case ENTRY_CONNECTION_LOST:
      connection_close (connection);
      break;
    case ENTRY_CONNECTION_FAILED:
      apply_failed (connection, entry);
      break;
    case ENTRY_SESSION_OPENED:
      apply_session_opened (connection, entry);
      break;
    case ENTRY_CREDIT:
      connection_add_credit (connection, entry->credit);
      break;
    case ENTRY_CONNECTION_OPENED:
    case ENTRY_FRAMES:
      break;
    }
}

static void
end_of_event (Node *node)
{
  session_map_end_of_event (node->sessions);
  cluster_wants_report (node->cluster, node->sessions->report_position);
  broker_reap (node->broker);
}

static void
on_apply (gpointer user_data, MemberId sender, const Envelope *envelope, guint64 position)
{
  Node *node = user_data;

  if (node->host->watch != NULL)
    node->host->watch->applied (node->host->user_data, sender, envelope->bytes, position);
  node->sessions->position = position;
  for (guint i = 0; i < envelope->entries->len; i++)
    apply_entry (node, sender, envelope, &g_array_index (envelope->entries, Entry, i));
  end_of_event (node);
}

static void
on_members_lost (gpointer user_data, const MemberId *members, guint n_members, guint64 position)
{
  Node *node = user_data;

  if (node->host->watch != NULL)
    node->host->watch->members_lost (node->host->user_data, members, n_members, position);
  node->sessions->position = position;
  session_map_members_lost (node->sessions, members, n_members);
  end_of_event (node);
}

static void
on_formed (gpointer user_data, guint64 position)
{
  Node *node = user_data;

  if (node->host->watch != NULL)
    node->host->watch->formed (node->host->user_data, position);
  node->sessions->position = position;
  chains_attach (node->chains, node->sessions, cluster_self (node->cluster));
  session_map_all_lost (node->sessions);
  end_of_event (node);
}

static gboolean
on_released (gpointer user_data, guint64 limit)
{
  Node *node = user_data;

  if (node->host->watch != NULL)
    node->host->watch->released (node->host->user_data, limit);
  for (guint i = node->gated->len; i > 0; i--)
    {
      Client *client = node->gated->pdata[i - 1];

      if (client_release (client, limit))
        continue;
      trace_reached (node->host->trace, node->config->name, "reply-released");
      client->gated = FALSE;
      g_ptr_array_remove_index_fast (node->gated, i - 1);
    }
  return node->gated->len > 0;
}

/* Clients of a member that is not active any more have nobody to talk to. */
static void
forget_clients (Node *node)
{
  IdMapIter iter = id_map_iter (node->sessions->connections);
  gpointer value;

  while (id_map_next (&iter, NULL, &value))
    ((Connection *) value)->client = NULL;
  for (guint i = 0; i < node->clients->len; i++)
    client_force_close (node->clients->pdata[i], REPLY_CONNECTION_FORCED,
                        "this member is not active any more");
}

static void
on_state_changed (gpointer user_data, NodeState former, NodeState state)
{
  Node *node = user_data;

  log_notice (node->config->name, "%s", node_state_name (state));
  if (former == NODE_ACTIVE && state != NODE_STOPPED)
    forget_clients (node);
}

static Transport *
on_new_transport (gpointer user_data)
{
  const Node *node = user_data;

  return node->host->new_transport (node->host->user_data);
}

const ClusterApplication node_application = {
  .apply = on_apply,
  .members_lost = on_members_lost,
  .formed = on_formed,
  .released = on_released,
  .capture = node_state_capture,
  .write = node_state_write,
  .release = node_state_release,
  .expect = node_state_expect,
  .read = node_state_read,
  .take = node_state_take,
  .give_up = node_state_give_up,
  .state_changed = on_state_changed,
  .new_transport = on_new_transport,
};
