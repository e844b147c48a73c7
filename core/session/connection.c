/* SPDX-License-Identifier: MIT */
#include "core/session/connection.h"
#include "core/amqp/field_table.h"
#include "core/base/digest.h"
#include "core/base/limits.h"
#include "core/broker/vhost.h"
#include "core/session/client_answers.h"
#include "core/session/session.h"

static guint64
identity_digest (const Connection *connection)
{
  guint64 digest = digest_connection (1, connection->id);

  digest = digest_combine (digest, connection->primary.node_id);
  digest = digest_combine (digest, connection->primary.process_id);
  digest = digest_combine (digest, connection->version);
  digest = digest_text (digest, connection->vhost->name);
  digest = digest_text (digest, connection->user);
  digest = digest_text (digest, connection->peer);
  digest = digest_combine (digest, connection->channel_max);
  digest = digest_combine (digest, connection->frame_max);
  digest = digest_combine (digest, connection->heartbeat_seconds);
  return digest_slice (digest, connection->client_properties);
}

guint64
connection_digest_in_full (const Connection *connection)
{
  return digest_combine (identity_digest (connection), (guint64) connection->credit);
}

static void
set_credit (Connection *connection, gint64 credit)
{
  connection->credit = credit;
  connection->map->digest -= connection->digest;
  connection->digest = digest_combine (connection->identity, (guint64) credit);
  connection->map->digest += connection->digest;
}

/* A capability that the client announced in connection.start-ok. */
static gboolean
has_capability (const Connection *connection, const char *name)
{
  FieldValue capabilities;
  gboolean there = FALSE;

  return field_table_lookup (connection->client_properties, "capabilities", &capabilities)
         && capabilities.type == 'F'
         && field_table_lookup_boolean (capabilities.bytes, name, &there) && there;
}

static void
enter_map (Connection *connection, SessionMap *map)
{
  connection->wants_cancel_notify = has_capability (connection, "consumer_cancel_notify");
  connection->map = map;
  connection->identity = identity_digest (connection);
  id_map_insert (map->connections, id_key_of_connection (connection->id), connection);
  connection->digest = 0;
  set_credit (connection, connection->credit);
}

static void
connection_free (Connection *connection)
{
  g_free (connection->user);
  g_free (connection->peer);
  g_free (connection->channels);
  slice_release (&connection->client_properties);
  g_free (connection);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Connection, connection_free)

Connection *
connection_open (SessionMap *map, const ConnectionOpening *opening, MemberId primary,
                 GError **error)
{
  Vhost *vhost = broker_lookup_vhost (map->broker, opening->vhost);
  Connection *connection;

  if (opening->version != PROTOCOL_0_9_1)
    {
      reply_error (error, REPLY_NOT_IMPLEMENTED, "sessions of another version than 0-9-1");
      return NULL;
    }
  if (vhost == NULL)
    {
      reply_error (error, REPLY_NOT_ALLOWED, "vhost %.*s not found", (int) opening->vhost.length,
                   (const char *) opening->vhost.bytes);
      return NULL;
    }
  connection = g_new0 (Connection, 1);
  connection->id = opening->id;
  connection->primary = primary;
  connection->version = opening->version;
  connection->vhost = vhost;
  connection->user = slice_to_text (opening->user);
  connection->peer = slice_to_text (opening->peer);
  connection->channel_max = opening->channel_max;
  connection->frame_max = opening->frame_max;
  connection->heartbeat_seconds = opening->heartbeat_seconds;
  connection->client_properties = slice_hold (opening->client_properties);
  connection->credit = LIMIT_CONNECTION_CREDIT;
  enter_map (connection, map);
  return connection;
}

void
connection_let_go (Connection *connection, GPtrArray *queues)
{
  for (guint channel = 0; channel < connection->n_channels; channel++)
    if (connection->channels[channel] != NULL)
      session_let_go (connection->channels[channel], queues);
}

void
connection_close (Connection *connection)
{
  SessionMap *map = connection->map;
  GPtrArray *queues = queues_to_serve_new ();

  connection_let_go (connection, queues);
  for (guint channel = 0; channel < connection->n_channels; channel++)
    if (connection->channels[channel] != NULL)
      session_close (connection->channels[channel]);
  broker_connection_gone (map->broker, connection->id);
  map->digest -= connection->digest;
  id_map_remove (map->connections, id_key_of_connection (connection->id));
  connection_free (connection);
  queues_serve (map, queues);
}

/* Confirms wait for the end of the event; this comes before. */
static void
send_confirms (Connection *connection)
{
  for (guint channel = 0; channel < connection->n_channels; channel++)
    if (connection->channels[channel] != NULL)
      session_send_confirms (connection->channels[channel]);
}

void
connection_close_as_asked (Connection *connection)
{
  send_confirms (connection);
  if (connection->client != NULL)
    client_answer_closed (connection->client);
  connection_close (connection);
}

void
connection_fail (Connection *connection, const GError *error, guint16 class_id, guint16 method_id)
{
  send_confirms (connection);
  if (connection->client != NULL)
    {
      g_autofree char *text = reply_error_text (error);

      client_answer_failed (connection->client, (guint16) error->code, text, class_id, method_id);
    }
  connection_close (connection);
}

Session *
connection_lookup_channel (const Connection *connection, guint16 channel)
{
  return channel < connection->n_channels ? connection->channels[channel] : NULL;
}

void
connection_add_credit (Connection *connection, guint32 bytes)
{
  gboolean waited = connection_must_wait (connection);
  GPtrArray *queues;

  set_credit (connection, MIN (connection->credit + bytes, LIMIT_CONNECTION_CREDIT));
  if (!waited || connection_must_wait (connection))
    return;
  queues = queues_to_serve_new ();
  for (guint channel = 0; channel < connection->n_channels; channel++)
    if (connection->channels[channel] != NULL)
      session_available (connection->channels[channel], queues);
  queues_serve (connection->map, queues);
}

void
connection_take_credit (Connection *connection, gsize bytes)
{
  set_credit (connection, connection->credit - (gint64) bytes);
  if (connection->client != NULL)
    client_answer_used_credit (connection->client, bytes);
}

gboolean
connection_must_wait (const Connection *connection)
{
  return connection->credit <= 0;
}

gboolean
connection_state (StateCodec *codec, Connection *connection)
{
  guint8 version = (guint8) connection->version;

  state_connection_id (codec, &connection->id);
  state_member_id (codec, &connection->primary);
  state_u8 (codec, &version);
  connection->version = (ProtocolVersion) version;
  if (version != PROTOCOL_0_9_1)
    state_fail (codec);
  state_text (codec, &connection->user);
  state_text (codec, &connection->peer);
  state_u16 (codec, &connection->channel_max);
  state_u32 (codec, &connection->frame_max);
  state_u16 (codec, &connection->heartbeat_seconds);
  state_slice (codec, &connection->client_properties);
  state_i64 (codec, &connection->credit);
  if (state_is_reading (codec) && state_is_good (codec)
      && (!field_table_check (connection->client_properties, NULL)
          || connection->frame_max < LIMIT_FRAME_MIN
          || connection->credit > LIMIT_CONNECTION_CREDIT))
    state_fail (codec);
  return state_is_good (codec);
}

static gboolean
connection_read (StateCodec *codec, SessionMap *map)
{
  g_autoptr (Connection) connection = g_new0 (Connection, 1);
  char *vhost_name = NULL;
  g_autofree char *owned_name = NULL;

  state_text (codec, &vhost_name);
  owned_name = vhost_name;
  if (!connection_state (codec, connection))
    return FALSE;
  if (vhost_name != NULL)
    connection->vhost = broker_lookup_vhost (map->broker, slice_of_text (vhost_name));
  if (connection->vhost == NULL || connection->user == NULL || connection->peer == NULL
      || connection_id_is_none (connection->id)
      || session_map_lookup_connection (map, connection->id) != NULL)
    {
      state_fail (codec);
      return FALSE;
    }
  enter_map (g_steal_pointer (&connection), map);
  return TRUE;
}

gboolean
connections_state (StateCodec *codec, SessionMap *map)
{
  guint count = state_count (codec, id_map_size (map->connections));
  IdMapIter iter = id_map_iter (map->connections);
  gpointer value;

  if (state_is_reading (codec))
    {
      for (guint i = 0; i < count && connection_read (codec, map); i++)
        ;
      return state_is_good (codec);
    }
  while (id_map_next (&iter, NULL, &value))
    {
      Connection *connection = value;

      state_text (codec, &connection->vhost->name);
      connection_state (codec, connection);
    }
  return TRUE;
}
